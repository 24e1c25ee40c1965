/** The vocabulary of capabilities: what a policy can need, and what a provider can say about it. */

export const CAPABILITIES = [
  /** Selected pods reach nothing that no rule allows. Needed by every policy. */
  'isolation',
  'cidr',
  'cidr.except',
  'ports.range',
  'domain.exact',
  'domain.oneLabel',
  'domain.anyDepth',
  /** A domain rule that checks the TLS server name, not only the resolved address. */
  'domain.tlsServerName',
  'dns.clusterResolver',
  /** Only the names of the policy's own domain rules can be resolved. */
  'dns.filter',
  'workloads',
  'kubeAPIServer',
  /** Rules without an address (domains, workloads, DNS, the API server) can be held to one IP family. */
  'family.ipv4Only',
  'family.ipv6Only',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const CAPABILITY_STATES = ['Supported', 'Unsupported', 'Unknown'] as const;
export type CapabilityState = (typeof CAPABILITY_STATES)[number];

/** What packets have shown of a capability. Verified needs an allow that worked and a deny that blocked, in one run. */
export const ENFORCEMENT_RESULTS = ['Verified', 'Failed', 'Inconclusive', 'Unsupported'] as const;
export type EnforcementResult = (typeof ENFORCEMENT_RESULTS)[number];

/** Rows of `src/compile/providers.ts`, and what stands for no row: nothing that enforces, and more than one. */
export const PROVIDER_NAMES = [
  'cilium',
  'k8s-networkpolicy',
  'antrea',
  'calico-enterprise',
  'gke-dataplane-v2',
  'aws-vpc-cni',
  'aws-auto-mode',
  'azure-acns',
  'kindnet',
  'ovn-kubernetes',
  'network-policy-api',
  'istio',
  'none',
  'ambiguous',
] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];
