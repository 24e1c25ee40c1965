/**
 * Providers are data: how each is recognised, what can switch it off, and what it can express.
 *
 * A row says what a provider can do when everything is as it should be; `capabilities.ts` subtracts what the cluster's own
 * configuration, version and agents take away. Sources stand beside each line.
 */
import type { Capability, ProviderName } from '../api/capability.ts';

/** What a provider's policies select pods by. */
export type Selection = 'account' | 'label';

/** A setting that takes capabilities away unless its value is one of `fine`. */
export interface Switch {
  /** A key of the provider's ConfigMap, or a flag of its agent such as `--run-firewall`. */
  readonly key: string;
  /** The value that the provider assumes when the key is absent. */
  readonly absent: string;
  readonly fine: readonly string[];
  readonly reason: string;
  readonly removes: readonly Capability[] | 'all';
}

export interface ProviderRow {
  readonly name: ProviderName;
  readonly selectsBy: Selection;
  /** DaemonSets of the system namespace, any of which is the provider's agent. */
  readonly daemonSets: readonly string[];
  /** The container of the DaemonSet whose image tag is the provider's version. */
  readonly versionContainer?: string;
  /** The API that policies are written to, recognised by a field and not by its name alone: look-alikes exist. */
  readonly api?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly field: readonly string[];
  };
  readonly configMap?: string;
  readonly switches: readonly Switch[];
  /** The oldest version that what we emit is right for. */
  readonly minimumVersion?: string;
  /** What it can express, and since when. What is not listed is Unsupported for the reason beside it. */
  readonly supports: readonly { readonly capability: Capability; readonly since?: string }[];
  readonly lacks: readonly { readonly capability: Capability; readonly reason: string }[];
  /** Pod labels that a rule cannot select by: the provider leaves them out of a pod's identity, or means something else by them. */
  readonly unselectableLabels: readonly RegExp[];
}

const NAME_CAPABILITIES: readonly Capability[] = [
  'domain.exact',
  'domain.oneLabel',
  'domain.anyDepth',
  'domain.tlsServerName',
  'dns.filter',
];

/** cilium/cilium: Documentation/security/policy, pkg/option/config.go for the defaults of absent keys. */
const CILIUM: ProviderRow = {
  name: 'cilium',
  selectsBy: 'account',
  daemonSets: ['cilium'],
  versionContainer: 'cilium-agent',
  api: { group: 'cilium.io', version: 'v2', kind: 'CiliumNetworkPolicy', field: ['spec', 'egress', '[]', 'toFQDNs'] },
  configMap: 'cilium-config',
  switches: [
    {
      key: 'enable-policy',
      absent: 'default',
      fine: ['default', 'always'],
      reason: 'PolicyEnforcementNever',
      removes: 'all',
    },
    { key: 'policy-audit-mode', absent: 'false', fine: ['false'], reason: 'PolicyAuditMode', removes: 'all' },
    {
      key: 'enable-cilium-network-policy',
      absent: 'true',
      fine: ['true'],
      reason: 'CiliumNetworkPolicyDisabled',
      removes: 'all',
    },
    // The floor is a plain NetworkPolicy.
    {
      key: 'enable-k8s-networkpolicy',
      absent: 'true',
      fine: ['true'],
      reason: 'NetworkPolicyDisabled',
      removes: 'all',
    },
    // A label filter can drop the ServiceAccount label from the identity: the policy would then select nothing.
    { key: 'labels', absent: '', fine: [''], reason: 'IdentityLabelFilter', removes: 'all' },
    { key: 'label-prefix-file', absent: '', fine: [''], reason: 'IdentityLabelFilter', removes: 'all' },
    // Without it our default deny for egress would be one for ingress as well: pkg/policy/api/rule_validation.go.
    {
      key: 'enable-non-default-deny-policies',
      absent: 'true',
      fine: ['true'],
      reason: 'DefaultDenyNotSelectable',
      removes: 'all',
    },
    // A rule would also select pods of other clusters, or CIDRs nodes of this one: wider than asked.
    {
      key: 'policy-default-local-cluster',
      absent: 'true',
      fine: ['true'],
      reason: 'RulesSpanClusters',
      removes: 'all',
    },
    {
      key: 'policy-cidr-match-mode',
      absent: '',
      fine: [''],
      reason: 'CIDRMatchesNodes',
      removes: ['cidr', 'cidr.except'],
    },
    { key: 'enable-l7-proxy', absent: 'true', fine: ['true'], reason: 'L7ProxyDisabled', removes: NAME_CAPABILITIES },
    // "L7 policies, including FQDN policies, are not supported in chaining mode": cilium/cilium#17122.
    { key: 'cni-chaining-mode', absent: 'none', fine: ['none', ''], reason: 'CNIChaining', removes: NAME_CAPABILITIES },
    // Peers without an address can be held to one family only where the other is off altogether.
    { key: 'enable-ipv6', absent: 'true', fine: ['false'], reason: 'IPv6Enabled', removes: ['family.ipv4Only'] },
    { key: 'enable-ipv4', absent: 'true', fine: ['false'], reason: 'IPv4Enabled', removes: ['family.ipv6Only'] },
  ],
  // enableDefaultDeny is known from 1.16 on; an older agent would drop it.
  minimumVersion: '1.16.0',
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

/** Implementations of networking.k8s.io/v1 that enforce it and have no policy API of their own that AgentPlane uses. */
const NETWORK_POLICY: ProviderRow = {
  name: 'k8s-networkpolicy',
  selectsBy: 'label',
  daemonSets: ['kube-router', 'calico-node'],
  switches: [
    // kube-router routes without it, and enforces nothing: docs/user-guide.md of cloudnativelabs/kube-router.
    { key: '--run-firewall', absent: 'true', fine: ['true'], reason: 'FirewallDisabled', removes: 'all' },
  ],
  supports: [
    { capability: 'isolation' },
    { capability: 'cidr' },
    { capability: 'cidr.except' },
    { capability: 'ports.range' },
    { capability: 'dns.clusterResolver' },
    { capability: 'workloads' },
    { capability: 'kubeAPIServer' },
  ],
  lacks: [
    ...NAME_CAPABILITIES.map((capability) => ({ capability, reason: 'NoDomainRules' })),
    { capability: 'family.ipv4Only', reason: 'PeersHaveNoFamily' },
    { capability: 'family.ipv6Only', reason: 'PeersHaveNoFamily' },
  ],
  unselectableLabels: [],
};

export const PROVIDERS: readonly ProviderRow[] = [CILIUM, NETWORK_POLICY];

export function providerRow(name: ProviderName): ProviderRow | undefined {
  return PROVIDERS.find((row) => row.name === name);
}

/**
 * DaemonSets of providers that are known but not emitted for. Seen without any of the above, they make the provider `none`
 * with a message that names them, instead of a guess.
 */
export const KNOWN_WITHOUT_EMITTER: Readonly<Record<string, string>> = {
  // GKE Dataplane V2 is Cilium that does not honour CiliumNetworkPolicy.
  anetd: 'GKE Dataplane V2',
  'antrea-agent': 'Antrea',
  'aws-node': 'Amazon VPC CNI',
  // kindnetd goes on without policies when its controller cannot start: kubernetes-sigs/kind images/kindnetd.
  kindnet: 'kindnet',
  // Fails open by default: kubernetes-sigs/kube-network-policies pkg/cmd/cmd.go.
  'kube-network-policies': 'kube-network-policies',
};

/** A DaemonSet that caches DNS on every node; pods then ask an address of the node, which no pod selector matches. */
export const NODE_LOCAL_DNS = 'node-local-dns';

/** The DaemonSets that are looked for by name. The chart grants `get` on exactly these. */
export const OBSERVED_DAEMON_SETS: readonly string[] = [
  ...new Set([...PROVIDERS.flatMap((row) => row.daemonSets), ...Object.keys(KNOWN_WITHOUT_EMITTER), NODE_LOCAL_DNS]),
].sort();

/** The ConfigMaps that are looked for by name. */
export const OBSERVED_CONFIG_MAPS: readonly string[] = PROVIDERS.flatMap((row) => row.configMap ?? []).sort();
