/** Cilium. cilium/cilium: Documentation/security/policy, pkg/option/config.go and daemon/cmd/daemon_main.go for absent keys. */
import { PROFILE_LABEL } from '../../api/meta.ts';
import { keepsLabels } from '../label-filter.ts';
import { type EmittedRow, is, NAME_CAPABILITIES, NEEDS_RESOLVER_PODS, type Switch } from './row.ts';

/** What every policy selects pods by: the account, and with it the namespace and the cluster; and what others leave governed pods out by. */
const SUBJECT_LABELS = [
  'io.cilium.k8s.policy.serviceaccount',
  'io.kubernetes.pod.namespace',
  'io.cilium.k8s.policy.cluster',
  PROFILE_LABEL,
];

const switches: readonly Switch[] = [
  {
    key: 'enable-policy',
    absent: 'default',
    fine: is('default', 'always'),
    reason: 'PolicyEnforcementNever',
    removes: 'all',
  },
  { key: 'policy-audit-mode', absent: 'false', fine: is('false'), reason: 'PolicyAuditMode', removes: 'all' },
  {
    key: 'enable-cilium-network-policy',
    absent: 'true',
    fine: is('true'),
    reason: 'CiliumNetworkPolicyDisabled',
    removes: 'all',
  },
  // The floor is a plain NetworkPolicy.
  {
    key: 'enable-k8s-networkpolicy',
    absent: 'true',
    fine: is('true'),
    reason: 'NetworkPolicyDisabled',
    removes: 'all',
  },
  // A filter that drops what a policy selects by makes it select nothing. Of a file only the name can be seen.
  { key: 'label-prefix-file', absent: '', fine: is(''), reason: 'IdentityLabelFilter', removes: 'all' },
  {
    key: 'labels',
    absent: '',
    fine: (filter) => keepsLabels(filter, SUBJECT_LABELS),
    reason: 'IdentityLabelFilter',
    removes: 'all',
  },
  {
    key: 'labels',
    absent: '',
    fine: keepsLabels,
    reason: 'IdentityLabelFilter',
    removes: NEEDS_RESOLVER_PODS,
  },
  // Which labels the rules of policies select workloads by is not known here.
  { key: 'labels', absent: '', fine: is(''), reason: 'IdentityLabelFilter', removes: ['workloads'] },
  // Without it our default deny for egress would be one for ingress as well: pkg/policy/api/rule_validation.go.
  {
    key: 'enable-non-default-deny-policies',
    absent: 'true',
    fine: is('true'),
    reason: 'DefaultDenyNotSelectable',
    removes: 'all',
  },
  // A rule would also select pods of other clusters, or CIDRs nodes of this one: wider than asked.
  {
    key: 'policy-default-local-cluster',
    absent: 'true',
    fine: is('true'),
    reason: 'RulesSpanClusters',
    removes: 'all',
  },
  {
    key: 'policy-cidr-match-mode',
    absent: '',
    fine: is(''),
    reason: 'CIDRMatchesNodes',
    removes: ['cidr', 'cidr.except'],
  },
  { key: 'enable-l7-proxy', absent: 'true', fine: is('true'), reason: 'L7ProxyDisabled', removes: NAME_CAPABILITIES },
  // "L7 policies, including FQDN policies, are not supported in chaining mode": cilium/cilium#17122.
  {
    key: 'cni-chaining-mode',
    absent: 'none',
    fine: is('none', ''),
    reason: 'CNIChaining',
    removes: NAME_CAPABILITIES,
  },
  // Peers without an address can be held to one family only where the other is off altogether.
  { key: 'enable-ipv6', absent: 'true', fine: is('false'), reason: 'IPv6Enabled', removes: ['family.ipv4Only'] },
  { key: 'enable-ipv4', absent: 'true', fine: is('false'), reason: 'IPv4Enabled', removes: ['family.ipv6Only'] },
];

export const CILIUM: EmittedRow = {
  name: 'cilium',
  title: 'Cilium',
  selectsBy: 'account',
  daemonSets: ['cilium'],
  insteadOf: [],
  versionContainer: 'cilium-agent',
  api: { group: 'cilium.io', version: 'v2', kind: 'CiliumNetworkPolicy', field: ['spec', 'egress', '[]', 'toFQDNs'] },
  configMap: 'cilium-config',
  switches,
  // install/kubernetes/cilium/values.yaml.
  usual: { 'enable-ipv6': 'false' },
  // enableDefaultDeny is known from 1.16 on; an older agent would drop it.
  versions: { minimum: '1.16.0', proven: '1.20.2' },
  supports: [
    { capability: 'isolation' },
    { capability: 'cidr' },
    { capability: 'cidr.except' },
    { capability: 'ports.range' },
    { capability: 'domain.exact' },
    { capability: 'domain.oneLabel' },
    // `**.`: cilium/cilium#43420, 1.19.0.
    { capability: 'domain.anyDepth', since: '1.19.0' },
    { capability: 'dns.clusterResolver' },
    { capability: 'dns.filter' },
    { capability: 'workloads' },
    { capability: 'kubeAPIServer' },
    { capability: 'family.ipv4Only' },
    { capability: 'family.ipv6Only' },
  ],
  composition: 'union',
  // toPorts.serverNames exists, but nothing here emits or proves it yet.
  lacks: [{ capability: 'domain.tlsServerName', reason: 'NotImplemented' }],
  // What pkg/labelsfilter/filter.go ignores by default, and the labels that Cilium derives itself. A rule by one of these would
  // be accepted and match nothing, or something else.
  unselectableLabels: [
    /^io\.(cilium|kubernetes)/,
    /^(topology\.)?kubernetes\.io/,
    /^k8s\.io/,
    /beta\.kubernetes\.io/,
    /^(statefulset\.kubernetes\.io\/pod-name|apps\.kubernetes\.io\/pod-index)/,
    /^batch\.kubernetes\.io\/(job-completion-index|controller-uid)/,
    /^(pod-template-generation|pod-template-hash|controller-revision-hash|controller-uid|annotation|etcd_node)/,
  ],
};
