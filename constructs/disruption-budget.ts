import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import { release } from './expr/expr.ts';
import { all, greaterThan } from './expr/operators.ts';
import { selectorLabels } from './labels.ts';
import type { FencedProps } from './own-network-policy.ts';
import { When } from './structure/when.ts';

/** Keeps all replicas but one while nodes are drained. With one replica it would only block the drain, so there is none. */
export class DisruptionBudget extends Construct {
  constructor(scope: Construct, id: string, props: FencedProps) {
    super(scope, id);
    const { podDisruptionBudget, operator } = props.values;
    const several = new When(this, 'several', {
      condition: all(podDisruptionBudget.enabled, greaterThan(operator.replicas, 1)),
    });
    new k8s.KubePodDisruptionBudget(several, 'budget', {
      metadata: { name: props.name, namespace: `${release.namespace}`, labels: { ...props.labels } },
      spec: {
        maxUnavailable: k8s.IntOrString.fromNumber(1),
        selector: { matchLabels: { ...selectorLabels(props.component) } },
        // A replica that is broken anyway must not keep a node from being drained.
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    });
  }
}
