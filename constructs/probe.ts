import type { V1ServiceAccount } from '@kubernetes/client-node';
import { Construct } from 'constructs';
import { probeCanaries, probeInstall } from '../rbac/rules.ts';
import { accountOf, SUBJECTS } from '../src/probe/subjects.ts';
import { release } from './expr/expr.ts';
import { GrantedRole, serviceAccountSubject } from './granted-role.ts';
import { HardenedDeployment, raw } from './hardened-deployment.ts';
import { manifest } from './manifest.ts';
import { MetricsEndpoint } from './monitoring/metrics-endpoint.ts';
import { names } from './names.ts';
import type { ComponentProps } from './operator.ts';
import { OwnNetworkPolicy } from './own-network-policy.ts';
import { probeArgs, serviceArgs } from './probe-args.ts';

/**
 * The proving identity: its Deployment with the fences around its pods, and in the namespace of the canaries what it may do there and
 * the accounts that they run as. The canaries themselves are no part of the chart, nor are the policies around them. ADR 0014.
 */
export class Probe extends Construct {
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    const { values, labels, version } = props;
    const component = { name: names.probe, component: 'probe', values, labels: { ...labels, ...componentLabel } };
    const subjects = [serviceAccountSubject(names.probe, `${release.namespace}`)];
    new HardenedDeployment(this, 'workload', {
      ...component,
      version,
      args: [...probeArgs(values, version), ...serviceArgs(values)],
      replicas: 1,
      resources: raw(values.probe.resources),
    });
    new GrantedRole(this, 'install-role', {
      grant: probeInstall,
      namespace: `${release.namespace}`,
      subjects,
      labels: component.labels,
    });
    new GrantedRole(this, 'canaries-role', {
      grant: probeCanaries,
      namespace: `${values.probe.namespace}`,
      subjects,
      labels: component.labels,
      conditions: { 'cilium.enabled': values.cilium.enabled, 'admission.enabled': values.admission.enabled },
    });
    for (const subject of SUBJECTS) {
      manifest<V1ServiceAccount>(this, `account-${subject}`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: accountOf(subject), namespace: `${values.probe.namespace}`, labels: component.labels },
        automountServiceAccountToken: false,
      });
    }
    new OwnNetworkPolicy(this, 'network', component);
    new MetricsEndpoint(this, 'metrics', component);
  }
}

const componentLabel = { 'app.kubernetes.io/component': 'probe' };
