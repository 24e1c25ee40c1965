/** Which capabilities a policy rests on, read from its spec alone as docs/egress.md says it. It shares nothing with the compiler. */
import type { Capability } from '../../src/api/capability.ts';
import type { Destination, DomainDestination } from '../../src/api/egress-destination.ts';
import type { EgressPolicySpec } from '../../src/api/egress-policy.ts';

interface View {
  readonly spec: EgressPolicySpec;
  readonly peers: readonly Destination[];
  readonly domains: readonly DomainDestination[];
  /** Whether any name may be asked for. */
  readonly resolves: boolean;
}

const RESTS_ON: Readonly<Record<Capability, (view: View) => boolean>> = {
  isolation: () => true,
  cidr: ({ peers }) => peers.some(({ cidr }) => cidr !== undefined),
  'cidr.except': ({ peers }) => peers.some(({ cidr }) => (cidr?.except ?? []).length > 0),
  'ports.range': ({ spec }) => spec.allow.some(({ ports }) => ports.some(({ port, endPort = port }) => endPort > port)),
  'domain.exact': ({ domains }) => domains.some(({ name }) => name !== undefined),
  'domain.oneLabel': ({ domains }) => domains.some(({ depth }) => depth === 'OneLabel'),
  'domain.anyDepth': ({ domains }) => domains.some(({ depth }) => depth === 'AnyDepth'),
  'domain.tlsServerName': ({ spec, domains }) => domains.length > 0 && spec.require.domainAssurance === 'TLSServerName',
  'dns.clusterResolver': ({ resolves }) => resolves,
  'dns.filter': ({ spec, resolves }) => resolves && spec.dns.queries === 'AllowedDomainsOnly',
  workloads: ({ peers }) => peers.some(({ workloads }) => workloads !== undefined),
  kubeAPIServer: ({ peers }) => peers.some(({ kubeAPIServer }) => kubeAPIServer !== undefined),
  'family.ipv4Only': (view) => heldTo(view) === 'IPv4',
  'family.ipv6Only': (view) => heldTo(view) === 'IPv6',
};

export function restsOn(spec: EgressPolicySpec, capability: Capability): boolean {
  const peers = spec.allow.flatMap(({ to }) => to);
  const domains = peers.flatMap(({ domain }) => domain ?? []);
  const resolves = spec.dns.access === 'ClusterResolver' && (spec.dns.queries === 'Any' || domains.length > 0);
  return RESTS_ON[capability]({ spec, peers, domains, resolves });
}

/** The one family that a peer without an address has to be held to. */
function heldTo({ spec, peers, resolves }: View): string | undefined {
  const withoutAddress = resolves || peers.some(({ cidr }) => cidr === undefined);
  return withoutAddress && spec.ipFamilies.length === 1 ? spec.ipFamilies[0] : undefined;
}
