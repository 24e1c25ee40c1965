/** Implementations of networking.k8s.io/v1 that enforce it and have no policy API of their own that AgentPlane uses. */
import { type EmittedRow, is, NAME_CAPABILITIES, PLAIN_CAPABILITIES, supporting } from './row.ts';

export const NETWORK_POLICY: EmittedRow = {
  name: 'k8s-networkpolicy',
  title: 'Kubernetes NetworkPolicy (kube-router, Calico, kube-network-policies)',
  selectsBy: 'label',
  daemonSets: ['kube-router', 'calico-node', 'kube-network-policies'],
  insteadOf: [],
  api: {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'NetworkPolicy',
    field: ['spec', 'egress', '[]', 'to', '[]', 'ipBlock'],
  },
  switches: [
    // kube-router routes without it, and enforces nothing: docs/user-guide.md of cloudnativelabs/kube-router.
    { key: '--run-firewall', absent: 'true', fine: is('true'), reason: 'FirewallDisabled', removes: 'all' },
    // Packets pass while it is not there: pkg/cmd/cmd.go of kubernetes-sigs/kube-network-policies.
    {
      key: '--fail-open',
      daemonSet: 'kube-network-policies',
      absent: 'true',
      fine: is('false'),
      reason: 'FailsOpen',
      removes: 'all',
    },
  ],
  supports: supporting(...PLAIN_CAPABILITIES),
  composition: 'union',
  lacks: [
    ...NAME_CAPABILITIES.map((capability) => ({ capability, reason: 'NoDomainRules' })),
    { capability: 'family.ipv4Only', reason: 'PeersHaveNoFamily' },
    { capability: 'family.ipv6Only', reason: 'PeersHaveNoFamily' },
  ],
  unselectableLabels: [],
};
