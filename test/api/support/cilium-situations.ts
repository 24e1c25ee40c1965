/** Cilium with everything that can switch it off, and beside others. */
import { ciliumCluster } from '../../support/staged-cilium.ts';
import { AMBIGUOUS, agents, beside, cilium, HEALTHY, NOBODY, type Situation, SUPPORTED, setting } from './situation.ts';

export const CILIUM: readonly Situation[] = [
  {
    name: 'the API of Cilium, left over without agents',
    cluster: {},
    ...NOBODY,
    says: /although CiliumNetworkPolicy .* is served/,
  },
  cilium('agents not ready', { desired: 2, ready: 1 }, 'Unknown/AgentsNotReady', 'ready on 1 of 2 nodes'),
  cilium('no node', { desired: 0 }, 'Unknown/AgentsNotReady', 'ready on 0 of 0 nodes'),
  cilium('a spec not observed', { observed: false }, 'Unknown/AgentsNotReady', 'newer spec'),
  cilium('two versions', { desired: 2, updated: 1 }, 'Unknown/AgentsNotUpdated', 'runs on 1 of 2 nodes'),
  {
    ...HEALTHY,
    name: 'a look-alike of the API',
    lookAlike: true,
    cidr: 'Unsupported/PolicyAPIMissing',
    says: 'spec.egress.[].toFQDNs is not served',
  },
  {
    ...cilium('no ConfigMap', {}, 'Unknown/ConfigNotReadable', 'cilium-config is not there'),
    cluster: { ...ciliumCluster(), configMaps: {} },
  },
  HEALTHY,
  {
    ...cilium('a ConfigMap that may not be read', {}, 'Unknown/ConfigNotReadable', 'may not be read'),
    without: 'configmaps',
  },
  {
    ...HEALTHY,
    name: 'agents that may not be read',
    without: 'daemonsets',
    provider: 'none',
    cidr: 'Unknown/AgentsNotReadable',
    says: 'anetd, antrea-agent',
  },
  cilium('no version', { image: 'quay.io/cilium/cilium:latest' }, 'Unknown/VersionUnknown', 'container cilium-agent'),
  cilium('too old', { version: '1.15.9' }, 'Unsupported/ProviderTooOld', 'Cilium 1.15.9 is older than 1.16.0'),
  cilium('old enough', { version: '1.16.0' }, SUPPORTED),
  setting('enable-policy', 'never', 'PolicyEnforcementNever'),
  setting('policy-audit-mode', 'true', 'PolicyAuditMode'),
  setting('enable-cilium-network-policy', 'false', 'CiliumNetworkPolicyDisabled'),
  setting('enable-k8s-networkpolicy', 'false', 'NetworkPolicyDisabled'),
  setting('labels', 'k8s:app', 'IdentityLabelFilter'),
  {
    ...setting('labels', 'k8s:app io.cilium.* agentplane.dev/profile', 'IdentityLabelFilter'),
    cidr: SUPPORTED,
    domain: 'Unsupported/IdentityLabelFilter',
  },
  { ...setting('labels', 'k8s:!job-name', ''), cidr: SUPPORTED },
  setting('label-prefix-file', '/etc/labels.json', 'IdentityLabelFilter'),
  setting('enable-non-default-deny-policies', 'false', 'DefaultDenyNotSelectable'),
  setting('policy-default-local-cluster', 'false', 'RulesSpanClusters'),
  { ...setting('policy-cidr-match-mode', 'nodes', 'CIDRMatchesNodes'), domain: SUPPORTED },
  { ...setting('enable-l7-proxy', 'false', ''), cidr: SUPPORTED, domain: 'Unsupported/L7ProxyDisabled' },
  { ...setting('cni-chaining-mode', 'aws-cni', ''), cidr: SUPPORTED, domain: 'Unsupported/CNIChaining' },
  {
    ...HEALTHY,
    name: 'Cilium, node-local DNS',
    cluster: beside({ name: 'node-local-dns' }),
    domain: 'Unsupported/NodeLocalDNS',
  },
];

export const SEVERAL: readonly Situation[] = [
  {
    name: 'Cilium and Antrea',
    cluster: beside({ name: 'antrea-agent' }),
    ...AMBIGUOUS,
    says: /cilium .* and antrea .* pin one/,
  },
  { name: 'Cilium chained to the VPC CNI', cluster: beside({ name: 'aws-node' }), ...AMBIGUOUS, says: 'aws-vpc-cni' },
  { ...HEALTHY, name: 'Cilium in place of the VPC CNI', cluster: beside({ name: 'aws-node', desired: 0 }) },
  {
    name: 'kube-router and Calico',
    cluster: agents('kube-router', 'calico-node'),
    ...AMBIGUOUS,
    says: /calico-node .* kube-router|kube-router .* calico-node/,
  },
];
