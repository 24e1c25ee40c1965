/** Which RuntimeProfiles a change of what they rest on, or govern, concerns. */
import { PROFILE_LABEL } from '../api/meta.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Change } from '../kube/store.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';
import { isRespecified } from './changes.ts';
import { profileOf } from './exclusive.ts';
import { accountOf, hasEnded } from './governed-pods.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { conditionOf, isJudged } from './observable.ts';

export interface ProfileTriggers {
  readonly profile: (namespace: string, name: string) => void;
  /** For changes that come in swarms, such as pods: looked at once, a moment later. */
  readonly profileLater: (namespace: string, name: string) => void;
  /** Every policy, binding and bundle of the profile. */
  readonly dependents: (namespace: string, profile: string) => void;
}

export function wireProfiles(cache: NamespaceCache, { profile, profileLater, dependents }: ProfileTriggers): void {
  const { namespace } = cache;
  for (const informer of [cache.policies, cache.bindings, cache.bundles]) {
    informer.onChange((change) => {
      if (!isVerdict(change)) return;
      for (const name of profilesOf(change)) profile(namespace, name);
    });
  }
  cache.pods.onChange((change) => {
    for (const name of profilesOfAccounts(countedAccounts(change), cache)) profileLater(namespace, name);
    // Not later: what carries a foreign label may have the egress of the profile.
    const [before, after] = [change.previous, change.current].map((pod) => pod && foreignTo(pod, cache));
    if (before === after) return;
    for (const name of [before, after].filter((item) => item !== undefined)) {
      profile(namespace, name);
      dependents(namespace, name);
    }
  });
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
