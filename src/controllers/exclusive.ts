/**
 * Whether policies of others open more to governed pods than ours do. Policies add up, so whoever may write one can widen what an
 * EgressPolicy says; nothing of that can be undone here, and all of it is told. Pure. ADR 0012.
 */
import type { ReasonOf } from '../api/conditions.ts';
import { FLOOR_NAME } from '../api/meta.ts';
import { compareText } from '../compile/canonical.ts';
import type { Subject as ProfileSubject } from '../compile/emit.ts';
import type { Facts } from '../compile/facts.ts';
import { openings } from '../effective/compare.ts';
import { describeGrant } from '../effective/describe.ts';
import { effectiveEgress } from '../effective/evaluate.ts';
import type { Egress, Grant, PolicySet, World } from '../effective/types.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';
import type { Decisions } from './decisions.ts';
import { subjectsOf } from './governed-pods.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { CILIUM_NETWORK_POLICIES, NETWORK_POLICIES } from './resources.ts';

export interface Exclusivity {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: ReasonOf<'Exclusive'>;
  readonly message: string;
}

/** More are only counted: a message has an end. */
const NAMED_POLICIES = 4;
const NAMED_OPENINGS = 2;

const EXCLUSIVE: Exclusivity = {
  status: 'True',
  reason: 'NoOtherPolicy',
  message: 'no other policy of the namespace opens more to these pods',
};

/** Cilium implements both kinds. As long as the provider is not known, both count. */
export function worldOf(facts: Facts): World {
  if (facts.state !== 'Known') return { provider: 'cilium' };
  const { name, version } = facts.provider;
  if (name !== 'cilium') return { provider: 'networkpolicy' };
  return { provider: 'cilium', ...(version === undefined ? {} : { version }) };
}

export interface ExclusivityView {
  readonly cache: NamespaceCache;
  readonly world: World;
  readonly decisions: Pick<Decisions, 'madeBy'>;
}

/** Never throws: what could not be judged is Unknown. Policies of others are hostile input, and one of them must not stop the operator. */
export function exclusivity(profile: ProfileSubject, view: ExclusivityView): Exclusivity {
  try {
    const opened = openedByOthers(profile, view);
    return opened.length === 0
      ? EXCLUSIVE
      : { status: 'False', reason: 'WidenedByOtherPolicy', message: describe(opened) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `what the other policies of namespace ${view.cache.namespace} open could not be judged (${why}): simplify or delete them`;
    return { status: 'Unknown', reason: 'NotEvaluated', message };
  }
}

function openedByOthers(profile: ProfileSubject, { cache, world, decisions }: ExclusivityView): readonly Grant[] {
  const live = [...cache.networkPolicies.list(), ...(cache.ciliumPolicies?.list() ?? [])];
  // The outputs of every policy of the profile add up by intent.
  const isOutput = decisions.madeBy(cache.policies.list().filter((policy) => profileOf(policy) === profile.profile));
  const isOurs = (object: KubeObject) => isFloor(object) || isOutput(object);
  const foreign = live.filter((object) => !isOurs(object));
  if (foreign.length === 0) return [];
  const own = policySet(live.filter(isOurs));
  return subjectsOf(cache, profile, selectedKeys(live)).flatMap((subject) => {
    const theirs = effectiveEgress(subject, policySet(foreign), world);
    // Most policies of others are about other pods, or about ingress: nothing needs to be compared then.
    if (theirs.grants.every(({ source }) => source === undefined)) return [];
    const before = effectiveEgress(subject, own, world);
    return openings(before, withTheirs(before, theirs));
  });
}

/** All policies together, but for our own grants, which open nothing: of those only DNS filters count, which hold for others as well. */
function withTheirs(before: Egress, theirs: Egress): Egress {
  const filters = before.grants.filter(({ layer7 }) => layer7?.kind === 'dns');
  return {
    isolated: before.isolated || theirs.isolated,
    grants: [...theirs.grants.filter(({ source }) => source !== undefined), ...filters],
    denies: [...before.denies, ...theirs.denies],
  };
}

function isFloor({ kind, metadata }: KubeObject): boolean {
  return kind === NETWORK_POLICIES.kind && metadata.name === FLOOR_NAME;
}

export function profileOf({ spec }: KubeObject): string | undefined {
  const reference = isRecord(spec) ? spec.profileRef : undefined;
  return isRecord(reference) && typeof reference.name === 'string' ? reference.name : undefined;
}

function policySet(objects: readonly KubeObject[]): PolicySet {
  return {
    networkPolicies: objects.filter(({ kind }) => kind === NETWORK_POLICIES.kind),
    ciliumPolicies: objects.filter(({ kind }) => kind === CILIUM_NETWORK_POLICIES.kind),
  };
}

/** Every text of a selector that could be a label key: one too many costs a comparison, one too few a finding. */
function selectedKeys(policies: readonly KubeObject[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') for (const key of [value, value.slice(value.indexOf(':') + 1)]) keys.add(key);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (isRecord(value)) Object.entries(value).flat().forEach(collect);
  };
  for (const { spec, specs } of policies) {
    for (const part of [spec, ...(Array.isArray(specs) ? specs : [])]) {
      if (isRecord(part)) collect([part.podSelector, part.endpointSelector]);
    }
  }
  return keys;
}

/** By policy, in an order that does not depend on the caches: equal findings must have equal text, or the status is written again. */
function describe(opened: readonly Grant[]): string {
  const byPolicy = new Map<string, Set<string>>();
  for (const grant of opened) {
    const policy = grant.source === undefined ? 'another policy' : `${grant.source.kind} ${grant.source.name}`;
    byPolicy.set(policy, (byPolicy.get(policy) ?? new Set()).add(describeGrant(grant)));
  }
  const policies = [...byPolicy.entries()].sort(([a], [b]) => compareText(a, b));
  const parts = policies
    .slice(0, NAMED_POLICIES)
    .map(([policy, grants]) => `${policy} opens ${listed([...grants].sort(compareText), NAMED_OPENINGS)}`);
  const rest = policies.length > NAMED_POLICIES ? `; ${policies.length - NAMED_POLICIES} more policies do so` : '';
  return `${parts.join('; ')}${rest}: delete it, or say it in an EgressPolicy`;
}

function listed(items: readonly string[], max: number): string {
  const shown = items.slice(0, max).join(' and ');
  return items.length > max ? `${shown} and ${items.length - max} more` : shown;
}
