/** Which RuntimeProfiles a change of what they rest on, or govern, concerns. */
import { FLOOR_NAME, PROFILE_LABEL } from '../api/meta.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Change } from '../kube/store.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';
import { isRespecified } from './changes.ts';
import { profileOf } from './exclusive.ts';
import { claimsOf, profileLabelOf } from './governed-claims.ts';
import { accountOf, governedPods, hasEnded } from './governed-pods.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { conditionOf, isInForce, isJudged } from './observable.ts';

export interface ProfileTriggers {
  readonly profile: (namespace: string, name: string) => void;
  /** Ahead of everything else. */
  readonly profileFirst: (namespace: string, name: string) => void;
  /** For what comes a few at a time, such as the bindings of a profile: one write for all of them. */
  readonly profileSoon: (namespace: string, name: string) => void;
  /** For changes that come in swarms, such as pods: looked at once, a moment later. */
  readonly profileLater: (namespace: string, name: string) => void;
  /** Every policy, binding and bundle of the profile. */
  readonly dependents: (namespace: string, profile: string) => void;
}

export function wireProfiles(cache: NamespaceCache, triggers: ProfileTriggers): void {
  const { namespace } = cache;
  const { profile, profileFirst, profileSoon, dependents } = triggers;
  cache.profiles.onChange(({ name, current }) => {
    // A namespace that is being deleted takes our rights away soon.
    if (current?.metadata.deletionTimestamp !== undefined) profileFirst(namespace, name);
  });
  for (const informer of [cache.policies, cache.bindings, cache.bundles]) {
    informer.onChange((change) => {
      if (!isVerdict(change)) return;
      // What is in force may wait for more of its kind; what no longer is may not.
      const isGift = informer !== cache.policies && change.current !== undefined && isInForce(change.current);
      for (const name of profilesOf(change)) (isGift ? profileSoon : profile)(namespace, name);
    });
  }
  cache.networkPolicies.onChange(({ name }) => {
    if (name === FLOOR_NAME) for (const { metadata } of cache.profiles.list()) profile(namespace, metadata.name);
  });
  cache.pods.onChange((change) => {
    for (const name of profilesOfAccounts(countedAccounts(change), cache)) recount(name, cache, triggers);
    // Not later: what carries a foreign label may have the egress of the profile.
    const [before, after] = [change.previous, change.current].map((pod) => pod && foreignTo(pod, cache));
    if (before === after) return;
    for (const name of [before, after].filter((item) => item !== undefined)) {
      profile(namespace, name);
      dependents(namespace, name);
    }
  });
  cache.claims?.onChange(({ previous, current }) => {
    const [before, after] = [previous, current].map((claim) => claim && profileLabelOf(claim));
    if (before === after) return;
    for (const name of [before, after].filter((item) => item !== undefined)) recount(name, cache, triggers);
  });
}

/** Later, unless a deletion waits for nothing else. */
function recount(name: string, cache: NamespaceCache, { profileFirst, profileLater }: ProfileTriggers): void {
  const profile = cache.profiles.get(name);
  if (profile === undefined) return;
  const waits = profile.metadata.deletionTimestamp !== undefined;
  if (waits && isClear(profile, cache)) profileFirst(cache.namespace, name);
  else profileLater(cache.namespace, name);
}

function isClear(profile: KubeObject, cache: NamespaceCache): boolean {
  const claims = claimsOf(profile.metadata.name, cache.claims?.list() ?? []);
  return claims.length === 0 && governedPods(cache, accountOf(profile) ?? '').length === 0;
}

/** A newest spec that is not judged yet changes nothing of a profile, unless it has left it: it is judged in a moment. */
function isVerdict(change: Change): boolean {
  const { previous, current } = change;
  if (current === undefined || current.metadata.deletionTimestamp !== undefined) return true;
  if (previous !== undefined && profileOf(previous) !== profileOf(current)) return true;
  return isJudged(current) && (previous === undefined || weight(previous) !== weight(current));
}

/** All that a profile looks at. */
function weight(object: KubeObject): string {
  const [ready, enforced] = (['Ready', 'Enforced'] as const).map((type) => {
    const { status, reason } = conditionOf(object, type) ?? {};
    return { status, reason };
  });
  const { generation, uid } = object.metadata;
  const output = isRecord(object.status) ? object.status.output : undefined;
  return canonicalJson({ generation, uid, judged: isJudged(object), ready, enforced, output });
}

function profilesOf({ previous, current }: Change): ReadonlySet<string> {
  const names = [previous, current].map((object) => object && profileOf(object));
  return new Set(names.filter((name) => name !== undefined));
}

/** The accounts whose number of pods has changed. */
function countedAccounts(change: Change): ReadonlySet<string> {
  const counted = (pod: KubeObject) => (hasEnded(pod) ? undefined : accountOf(pod));
  const [before, after] = [change.previous, change.current].map((pod) => pod && counted(pod));
  if (before === after && !isRespecified(change)) return new Set();
  return new Set([before, after].filter((account) => account !== undefined));
}

function profilesOfAccounts(accounts: ReadonlySet<string>, cache: NamespaceCache): readonly string[] {
  if (accounts.size === 0) return [];
  const governing = cache.profiles.list().filter((profile) => accounts.has(accountOf(profile) ?? ''));
  return governing.map(({ metadata }) => metadata.name);
}

/** The profile whose label a pod carries without running as its account. */
function foreignTo(pod: KubeObject, cache: NamespaceCache): string | undefined {
  const profile = cache.profiles.get(pod.metadata.labels?.[PROFILE_LABEL] ?? '');
  if (profile === undefined || hasEnded(pod) || accountOf(profile) === accountOf(pod)) return undefined;
  return profile.metadata.name;
}
