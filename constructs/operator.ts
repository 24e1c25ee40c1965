import { Construct } from 'constructs';
import { operatorInstall } from '../rbac/rules.ts';
import { DisruptionBudget } from './disruption-budget.ts';
import { release } from './expr/expr.ts';
import { join, pluck, sortedUnique } from './expr/operators.ts';
import { GrantedRole, serviceAccountSubject } from './granted-role.ts';
import { HardenedDeployment, raw } from './hardened-deployment.ts';
import { MetricsEndpoint } from './monitoring/metrics-endpoint.ts';
import { names, ports } from './names.ts';
import { OwnNetworkPolicy } from './own-network-policy.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';

export interface ComponentProps {
  readonly values: AgentplaneRefs;
  readonly labels: Readonly<Record<string, string>>;
  /** Version of the chart. */
  readonly version: string;
}

/** The mutation identity: its Deployment, what it may do in the release namespace, and the fences around its pods. */
export class Operator extends Construct {
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    const { values, labels, version } = props;
    const component = { name: names.operator, component: 'operator', values, labels: { ...labels, ...componentLabel } };
    new HardenedDeployment(this, 'workload', {
      ...component,
      version,
      args: operatorArgs(values),
      replicas: values.operator.replicas,
      resources: raw(values.operator.resources),
    });
    new GrantedRole(this, 'install-role', {
      grant: operatorInstall,
      namespace: `${release.namespace}`,
      subjects: [serviceAccountSubject(names.operator, `${release.namespace}`)],
      labels: component.labels,
    });
    new OwnNetworkPolicy(this, 'network', component);
    new DisruptionBudget(this, 'disruption', component);
    new MetricsEndpoint(this, 'metrics', component);
  }
}

const componentLabel = { 'app.kubernetes.io/component': 'operator' };

function operatorArgs(values: AgentplaneRefs): readonly string[] {
  const { operator } = values;
  return [
    'operator',
    `--namespaces=${join(sortedUnique(pluck(values.governedNamespaces, 'name')), ',')}`,
    `--install-namespace=${release.namespace}`,
    '--identity=$(POD_NAME)',
    `--capability-report=${names.capabilityReport}`,
    `--lease=${names.lease}`,
    `--cilium=${values.cilium.enabled}`,
    `--admission=${values.admission.enabled}`,
    `--allow-any-destination=${operator.allowAnyDestination}`,
    `--cluster-domain=${operator.clusterDomain}`,
    `--report-max-age-seconds=${operator.reportMaxAgeSeconds}`,
    `--workers=${operator.workers}`,
    `--metrics-port=${ports.metrics}`,
    `--health-port=${ports.health}`,
    `--log-level=${operator.logLevel}`,
  ];
}
