import { Construct } from 'constructs';
import { inventoryInstall } from '../rbac/rules.ts';
import { release } from './expr/expr.ts';
import { join, pairs } from './expr/operators.ts';
import { GrantedRole, serviceAccountSubject } from './granted-role.ts';
import { HardenedDeployment, raw } from './hardened-deployment.ts';
import { MetricsEndpoint } from './monitoring/metrics-endpoint.ts';
import { names, ports } from './names.ts';
import type { ComponentProps } from './operator.ts';
import { OwnNetworkPolicy } from './own-network-policy.ts';
import type { AgentplaneRefs } from './values/agentplane.ts';

/** The discovery identity: its Deployment, what it may do in the release namespace, and the fences around its pods. */
export class Inventory extends Construct {
  constructor(scope: Construct, id: string, props: ComponentProps) {
    super(scope, id);
    const { values, labels, version } = props;
    const component = {
      name: names.inventory,
      component: 'inventory',
      values,
      labels: { ...labels, ...componentLabel },
    };
    new HardenedDeployment(this, 'workload', {
      ...component,
      version,
      args: inventoryArgs(values),
      replicas: 1,
      resources: raw(values.inventory.resources),
    });
    new GrantedRole(this, 'install-role', {
      grant: inventoryInstall,
      namespace: `${release.namespace}`,
      subjects: [serviceAccountSubject(names.inventory, `${release.namespace}`)],
      labels: component.labels,
    });
    new OwnNetworkPolicy(this, 'network', component);
    new MetricsEndpoint(this, 'metrics', component);
  }
}

const componentLabel = { 'app.kubernetes.io/component': 'inventory' };

function inventoryArgs(values: AgentplaneRefs): readonly string[] {
  const { inventory } = values;
  return [
    'inventory',
    `--install-namespace=${release.namespace}`,
    `--system-namespace=${names.systemNamespace}`,
    `--capability-report=${names.capabilityReport}`,
    `--interval-seconds=${inventory.intervalSeconds}`,
    `--provider=${inventory.provider}`,
    `--runtime-classes=${join(inventory.runtimeClasses, ',')}`,
    `--dns-namespace=${inventory.dns.namespace}`,
    `--dns-labels=${join(pairs(inventory.dns.podLabels), ',')}`,
    `--api-server-addresses=${join(values.apiServer.addresses, ',')}`,
    `--api-server-port=${values.apiServer.port}`,
    `--metrics-port=${ports.metrics}`,
    `--health-port=${ports.health}`,
    `--log-level=${inventory.logLevel}`,
  ];
}
