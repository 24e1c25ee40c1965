/** kubernetes-sigs/network-policy-api v0.2.0. Cluster-scoped: AgentPlane writes namespaced objects only. */
import { type RefusedRow, supporting } from './row.ts';

export const NETWORK_POLICY_API: RefusedRow = {
  name: 'network-policy-api',
  title: 'ClusterNetworkPolicy',
  daemonSets: [],
  insteadOf: [],
  // Of both channels. `domainNames` is in the experimental one only.
  api: {
    group: 'policy.networking.k8s.io',
    version: 'v1alpha2',
    kind: 'ClusterNetworkPolicy',
    field: ['spec', 'egress', '[]', 'to', '[]', 'networks'],
  },
  switches: [],
  // `*.` is any number of labels: npeps/npep-133-fqdn-egress-selector.md.
  supports: supporting('isolation', 'cidr', 'ports.range', 'workloads', 'domain.exact', 'domain.anyDepth'),
  composition: 'ordered',
  needed: 'cluster-scoped rights, which AgentPlane never asks for; its API does not tell either who implements it',
};
