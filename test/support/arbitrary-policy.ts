/**
 * Generated EgressPolicies that are valid and that the given provider can express: with them compilation has to succeed. They are as an
 * author would write them, before defaults. Sizes are mostly small, and now and then the largest the schema allows.
 */
import fc from 'fast-check';
import { cidr } from './arbitrary-policy-cidr.ts';
import type { Domain, Port } from './arbitrary-policy-parts.ts';
import { domain, type Pods, pods, portRange, singlePort } from './arbitrary-policy-parts.ts';
import type { Family } from './ip-range.ts';

export type EmittedProvider = 'cilium' | 'k8s-networkpolicy';

export interface Written {
  readonly profileRef: { readonly name: string };
  readonly allow?: readonly WrittenRule[];
  readonly [field: string]: unknown;
}

export interface WrittenRule {
  readonly name: string;
  readonly to: readonly WrittenDestination[];
  readonly ports: readonly Port[];
}

export interface WrittenDestination {
  readonly domain?: Domain;
  readonly cidr?: { readonly block: string; readonly except?: readonly string[] };
  readonly workloads?: Pods;
  readonly kubeAPIServer?: Readonly<Record<string, never>>;
}

/** What decides which policies can be expressed. */
export interface Ground {
  readonly provider: EmittedProvider;
  /** The IP families that the cluster has. */
  readonly families: readonly Family[];
}

const FAMILIES: readonly (readonly Family[])[] = [['IPv4', 'IPv6'], ['IPv6', 'IPv4'], ['IPv4'], ['IPv6']];
const MAX_RULES = 32;
const MAX_DESTINATIONS = 32;
const MAX_ALL_DESTINATIONS = 256;
const MAX_PORTS = 24;

export function ground(provider: EmittedProvider): fc.Arbitrary<Ground> {
  return fc.record({ provider: fc.constant(provider), families: fc.constantFrom(...FAMILIES) });
}

export function policyFor(place: Ground): fc.Arbitrary<Written> {
  return fc.option(fc.constantFrom(...FAMILIES), { freq: 2, nil: undefined }).chain((listed) => {
    const families = listed ?? ['IPv4', 'IPv6'];
    const free = expressesEveryPeer(place, families);
    const kinds = [
      ...families.map(cidrDestination),
      ...(free ? [pods.map((workloads): WrittenDestination => ({ workloads }))] : []),
      ...(free ? [fc.constant<WrittenDestination>({ kubeAPIServer: {} })] : []),
      ...(free && place.provider === 'cilium' ? [domain.map((each): WrittenDestination => ({ domain: each }))] : []),
    ];
    return fc
      .record({
        id: rarely(fc.constantFrom('egress', 'i'.repeat(63))),
        profileRef: fc.record({ name: fc.constantFrom('research', 'constructor') }),
        ipFamilies: fc.constant(listed),
        onRefusal: rarely(fc.constantFrom('KeepPrevious', 'DenyAll')),
        require: rarely(fc.record({ domainAssurance: fc.constant('ResolvedIP') })),
        allow: rarelyAbsent(rules(fc.oneof(...kinds))),
        resolver: fc.record({ wanted: fc.boolean(), queries: queries(place) }),
      })
      .map(({ resolver, profileRef, allow, ...rest }): Written => {
        const domains = (allow ?? []).some((rule) => rule.to.some((to) => to.domain !== undefined));
        const dns =
          domains || (resolver.wanted && free) ? { access: 'ClusterResolver', ...resolver.queries } : undefined;
        return { profileRef, ...(allow === undefined ? {} : { allow }), ...present({ ...rest, dns }) };
      });
  });
}

/** Peers without an address can be held to one family only where the cluster has no other, and the provider says so. */
function expressesEveryPeer({ provider, families: existing }: Ground, asked: readonly Family[]): boolean {
  if (asked.length === 2) return true;
  return provider === 'cilium' && existing.length === 1 && existing[0] === asked[0];
}

/** A provider without names can still answer every query, or none. */
function queries({ provider }: Ground): fc.Arbitrary<object> {
  const any = fc.constant({ queries: 'Any' });
  return provider === 'cilium' ? fc.oneof(any, fc.constant({ queries: 'AllowedDomainsOnly' }), fc.constant({})) : any;
}

const cidrDestination = (family: Family): fc.Arbitrary<WrittenDestination> =>
  cidr(family).map((each) => ({ cidr: each }));

function rules(to: fc.Arbitrary<WrittenDestination>): fc.Arbitrary<WrittenRule[]> {
  const small = rule(to, { destinations: 3, ports: 3 });
  const large = rule(to, { destinations: MAX_DESTINATIONS, ports: MAX_PORTS });
  return fc
    .oneof(
      { weight: 60, arbitrary: fc.array(small, { maxLength: 4 }) },
      { weight: 3, arbitrary: fc.array(large, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(small, { minLength: MAX_RULES, maxLength: MAX_RULES }) },
    )
    .map((list) => {
      let left = MAX_ALL_DESTINATIONS;
      return list.map((each, i) => {
        const kept = each.to.slice(0, Math.max(1, left));
        left -= kept.length;
        return { ...each, to: kept, name: i === 0 ? 'constructor' : `r${i}${'-x'.repeat(i % 30)}` };
      });
    });
}

function rule(
  to: fc.Arbitrary<WrittenDestination>,
  max: { readonly destinations: number; readonly ports: number },
): fc.Arbitrary<Omit<WrittenRule, 'name'>> {
  const several = <T>(item: fc.Arbitrary<T>, most: number): fc.Arbitrary<T[]> =>
    fc.array(item, { minLength: most > 3 ? most : 1, maxLength: most });
  return fc
    .record({ to: several(to, max.destinations), ports: several(fc.oneof(singlePort, portRange), max.ports) })
    .map((each) => (each.to.some((peer) => peer.kubeAPIServer !== undefined) ? withSinglePorts(each) : each));
}

/** The API server takes single ports only. */
function withSinglePorts<T extends { readonly ports: readonly Port[] }>(each: T): T {
  return { ...each, ports: each.ports.map(({ endPort: _, ...single }) => single) };
}

function rarely<T>(item: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: item });
}

function rarelyAbsent<T>(item: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 30, arbitrary: item }, { weight: 1, arbitrary: fc.constant(undefined) });
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
