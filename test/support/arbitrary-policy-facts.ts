/** Generated knowledge of the cluster: reports that support what a policy asks for, and every other kind of report. */
import fc from 'fast-check';
import { CAPABILITIES, type Capability, PROVIDER_NAMES } from '../../src/api/capability.ts';
import type { CompileRequest } from '../../src/compile/compile.ts';
import type { Facts, KnownFacts } from '../../src/compile/facts.ts';
import type { Ground } from './arbitrary-policy.ts';
import { NEVER } from './asked.ts';
import { addressText, lastOf } from './ip-range.ts';

export const SUBJECT = { profile: 'research', serviceAccountName: 'research-agent' };
export const LIMITS = { allowAnyDestination: true, clusterDomain: 'cluster.local' };
export const OWNER = {
  kind: 'EgressPolicy',
  namespace: 'team-a',
  name: 'research-egress',
  uid: '11111111-2222-3333-4444-555555555555',
};
/** The labels that select the resolver, and one that its pods have beside them. */
export const RESOLVER = { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns', tier: 'dns' } };
export const API_SERVERS = ['192.0.2.10', '2001:db8:ffff::10'];

type States = ReadonlyMap<
  Capability,
  { readonly state: 'Supported' | 'Unsupported' | 'Unknown'; readonly reason: string }
>;

/** What docs/egress.md says of each provider, for a cluster of these families. */
function lacks({ provider, families }: Ground): ReadonlySet<Capability> {
  const names: Capability[] = ['domain.exact', 'domain.oneLabel', 'domain.anyDepth', 'dns.filter'];
  const [only, second] = families;
  return new Set<Capability>([
    'domain.tlsServerName',
    ...(provider === 'cilium' ? [] : names),
    ...(provider === 'cilium' && only === 'IPv4' && second === undefined ? [] : (['family.ipv4Only'] as const)),
    ...(provider === 'cilium' && only === 'IPv6' && second === undefined ? [] : (['family.ipv6Only'] as const)),
  ]);
}

/** A report by which every policy of `policyFor(place)` can be compiled. */
export function factsOn(place: Ground): KnownFacts {
  const lacking = lacks(place);
  const capabilities: States = new Map(
    CAPABILITIES.map((name) => [
      name,
      lacking.has(name) ? { state: 'Unsupported', reason: 'Lacking' } : { state: 'Supported', reason: 'Declared' },
    ]),
  );
  return {
    state: 'Known',
    provider: { name: place.provider, version: '1.20.2' },
    capabilityHash: 'sha256:test',
    capabilities,
    dns: RESOLVER,
    apiServerAddresses: API_SERVERS,
  };
}

export function withoutCapability(
  facts: KnownFacts,
  name: Capability,
  how: 'Unsupported' | 'Unknown' | 'absent',
): KnownFacts {
  const kept = [...facts.capabilities].filter(([each]) => each !== name);
  const capabilities: States = new Map(how === 'absent' ? kept : [...kept, [name, { state: how, reason: 'Test' }]]);
  return { ...facts, capabilities };
}

const claim = fc.constant({ state: 'Supported' as const, reason: 'Test' });
const state = fc.record({ state: fc.constantFrom('Supported', 'Unsupported', 'Unknown'), reason: fc.constant('Test') });
const { length } = CAPABILITIES;
/** Everything, nearly everything, or whatever comes. */
const states = fc.oneof(
  fc.array(claim, { minLength: length, maxLength: length }),
  fc.array(fc.oneof({ weight: 9, arbitrary: claim }, { weight: 1, arbitrary: state }), {
    minLength: length,
    maxLength: length,
  }),
  fc.array(state, { maxLength: length }),
);
/** An address within a range that no rule may open, or one that is nobody's, in one of its spellings. */
const forbiddenAddress = fc.oneof(
  fc
    .constantFrom(...NEVER)
    .chain((range) => fc.bigInt(range.first, lastOf(range)).map((value) => addressText(range.family, value))),
  fc.constantFrom('0.0.0.0', '::', '0:0:0:0:0:0:0:1', 'FE80::1', '::ffff:169.254.169.254', '2852039166', '0127.0.0.1'),
);

/** The API server's addresses with one among them that is none, or alone. */
export const poisoned: fc.Arbitrary<readonly string[]> = fc
  .tuple(forbiddenAddress, fc.subarray(API_SERVERS), fc.nat(2))
  .map(([address, others, at]) => others.toSpliced(at, 0, address));

const emitted = fc.constantFrom('cilium' as const, 'k8s-networkpolicy' as const);

/** Any report, also one that contradicts itself or claims what its provider cannot do. */
export const anyFacts: fc.Arbitrary<Facts> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Facts>({ state: 'Missing' }) },
  { weight: 1, arbitrary: fc.constant<Facts>({ state: 'Stale', observedAt: '2026-01-01T00:00:00Z' }) },
  { weight: 12, arbitrary: anyKnownFacts() },
);

function anyKnownFacts(): fc.Arbitrary<Facts> {
  return fc
    .record({
      name: fc.oneof({ weight: 4, arbitrary: emitted }, { weight: 1, arbitrary: fc.constantFrom(...PROVIDER_NAMES) }),
      version: fc.option(fc.constantFrom('1.20.2', '1.18.9', '1.15.0', 'next', ''), { nil: undefined }),
      states,
      dns: fc.option(fc.constant(RESOLVER), { nil: undefined, freq: 4 }),
      apiServerAddresses: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom([], API_SERVERS) },
        { weight: 1, arbitrary: poisoned },
      ),
    })
    .map(({ name, version, states: reported, dns, apiServerAddresses }): Facts => {
      const capabilities: States = new Map(
        CAPABILITIES.flatMap((each, i) => (reported[i] === undefined ? [] : [[each, reported[i]]])),
      );
      return {
        state: 'Known',
        provider: { name, ...(version === undefined ? {} : { version }) },
        capabilityHash: 'sha256:test',
        capabilities,
        ...(dns === undefined ? {} : { dns }),
        apiServerAddresses,
      };
    });
}

export function requestOn(place: Ground, spec: CompileRequest['spec']): CompileRequest {
  return { owner: { ...OWNER, id: spec.id }, spec, subject: SUBJECT, facts: factsOn(place), limits: LIMITS };
}
