/** Which capabilities a spec needs, and for which rule: what the cluster lacks is refused by that name. */
import type { Capability } from '../api/capability.ts';
import type { Destination } from '../api/egress-destination.ts';
import type { EgressPolicySpec, EgressRule } from '../api/egress-policy.ts';

/** `rule` is undefined for a need of the policy as a whole. */
export interface Requirement {
  readonly capability: Capability;
  readonly rule?: string;
  readonly index?: number;
  /** The pod labels that a workloads destination selects by. */
  readonly labels?: readonly string[];
}

export function requirementsOf(spec: EgressPolicySpec): readonly Requirement[] {
  return [
    { capability: 'isolation' },
    ...dnsRequirements(spec),
    ...spec.allow.flatMap((rule) => ruleRequirements(rule, spec)),
  ];
}

/** True when the policy lets its pods ask the cluster resolver for at least one name. */
export function resolvesNames(spec: EgressPolicySpec): boolean {
  if (spec.dns.access !== 'ClusterResolver') return false;
  return spec.dns.queries === 'Any' || hasDomains(spec);
}

export function hasDomains(spec: EgressPolicySpec): boolean {
  return spec.allow.some((rule) => rule.to.some((to) => to.domain !== undefined));
}

function dnsRequirements(spec: EgressPolicySpec): Requirement[] {
  if (!resolvesNames(spec)) return [];
  const needs: Requirement[] = [{ capability: 'dns.clusterResolver' }, ...familyRequirements(spec)];
  return spec.dns.queries === 'AllowedDomainsOnly' ? [...needs, { capability: 'dns.filter' }] : needs;
}

function ruleRequirements(rule: EgressRule, spec: EgressPolicySpec): Requirement[] {
  const ranges = rule.ports.flatMap((port, index): Requirement[] =>
    port.endPort === undefined || port.endPort === port.port
      ? []
      : [{ capability: 'ports.range', rule: rule.name, index }],
  );
  const destinations = rule.to.flatMap((to, index) =>
    destinationRequirements(to, spec).map((need) => ({ ...need, rule: rule.name, index })),
  );
  return [...destinations, ...ranges];
}

function destinationRequirements(to: Destination, spec: EgressPolicySpec): Requirement[] {
  if (to.cidr !== undefined) {
    return to.cidr.except === undefined || to.cidr.except.length === 0
      ? [{ capability: 'cidr' }]
      : [{ capability: 'cidr' }, { capability: 'cidr.except' }];
  }
  // Everything but a CIDR names no family, so holding it to one is a capability of its own.
  const family = familyRequirements(spec);
  if (to.workloads !== undefined) {
    return [{ capability: 'workloads', labels: Object.keys(to.workloads.podLabels) }, ...family];
  }
  if (to.kubeAPIServer !== undefined) return [{ capability: 'kubeAPIServer' }, ...family];
  const assurance: Requirement[] =
    spec.require.domainAssurance === 'TLSServerName' ? [{ capability: 'domain.tlsServerName' }] : [];
  return [{ capability: domainCapability(to.domain?.depth) }, ...assurance, ...family];
}

function domainCapability(depth: 'OneLabel' | 'AnyDepth' | undefined): Capability {
  switch (depth) {
    case undefined:
      return 'domain.exact';
    case 'OneLabel':
      return 'domain.oneLabel';
    case 'AnyDepth':
      return 'domain.anyDepth';
  }
}

function familyRequirements(spec: EgressPolicySpec): Requirement[] {
  if (!spec.ipFamilies.includes('IPv6')) return [{ capability: 'family.ipv4Only' }];
  if (!spec.ipFamilies.includes('IPv4')) return [{ capability: 'family.ipv6Only' }];
  return [];
}
