import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import type { Expr } from './expr/expr.ts';
import { names, profileLabel } from './names.ts';

export interface FloorPolicyProps {
  readonly namespace: Expr<string>;
  /** AllPods: every pod of the namespace. GovernedPods: those that carry the label of a profile. */
  readonly covers: 'AllPods' | 'GovernedPods';
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Denies all egress of a governed namespace. It belongs to the chart, not to a policy: with every policy deleted, and with
 * the operator gone, the network stays shut. Always a plain NetworkPolicy, also under Cilium: an object with a DNS rule
 * that an agent refuses selects nothing, and without a floor that would mean open.
 */
export class FloorPolicy extends Construct {
  constructor(scope: Construct, id: string, props: FloorPolicyProps) {
    super(scope, id);
    new k8s.KubeNetworkPolicy(this, 'policy', {
      metadata: { name: names.floor, namespace: `${props.namespace}`, labels: { ...props.labels } },
      spec: {
        podSelector:
          props.covers === 'AllPods' ? {} : { matchExpressions: [{ key: profileLabel, operator: 'Exists' }] },
        policyTypes: ['Egress'],
      },
    });
  }
}
