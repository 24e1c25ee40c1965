/** Which capabilities a policy rests on, read from its spec alone as docs/egress.md says it. It shares nothing with the compiler. */
import type { Capability } from '../../src/api/capability.ts';
import type { EgressPolicySpec } from '../../src/api/egress-policy.ts';

export function restsOn(spec: EgressPolicySpec, capability: Capability): boolean {
  const peers = spec.allow.flatMap(({ to }) => to);
  const domains = peers.flatMap(({ domain }) => domain ?? []);
  const resolves = spec.dns.access === 'ClusterResolver' && (spec.dns.queries === 'Any' || domains.length > 0);
  const withoutAddress = resolves || peers.some(({ cidr }) => cidr === undefined);
  const only = spec.ipFamilies.length === 1 && withoutAddress ? spec.ipFamilies[0] : undefined;
  switch (capability) {
    case 'isolation':
      return true;
    case 'cidr':
      return peers.some(({ cidr }) => cidr !== undefined);
    case 'cidr.except':
      return peers.some(({ cidr }) => (cidr?.except ?? []).length > 0);
    case 'ports.range':
      return spec.allow.some(({ ports }) => ports.some(({ port, endPort = port }) => endPort > port));
    case 'domain.exact':
      return domains.some(({ name }) => name !== undefined);
    case 'domain.oneLabel':
      return domains.some(({ depth }) => depth === 'OneLabel');
    case 'domain.anyDepth':
      return domains.some(({ depth }) => depth === 'AnyDepth');
    case 'domain.tlsServerName':
      return domains.length > 0 && spec.require.domainAssurance === 'TLSServerName';
    case 'dns.clusterResolver':
      return resolves;
    case 'dns.filter':
      return resolves && spec.dns.queries === 'AllowedDomainsOnly';
    case 'workloads':
      return peers.some(({ workloads }) => workloads !== undefined);
    case 'kubeAPIServer':
      return peers.some(({ kubeAPIServer }) => kubeAPIServer !== undefined);
    case 'family.ipv4Only':
      return only === 'IPv4';
    case 'family.ipv6Only':
      return only === 'IPv6';
  }
}
