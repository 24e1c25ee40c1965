/** Follows what `Exclusive` rests on, and says which policies have to be looked at again. */
import { canonicalJson } from '../compile/canonical.ts';
import type { Subject as ProfileSubject } from '../compile/emit.ts';
import type { World } from '../effective/types.ts';
import type { Clock } from '../kube/clock.ts';
import type { Change } from '../kube/store.ts';
import type { KubeObject } from '../kube/types.ts';
import type { QueueKey } from '../runtime/fair-queue.ts';
import { type Exclusivity, exclusivity, profileOf } from './exclusive.ts';
import { accountOf, phaseOf } from './governed-pods.ts';
import { informersOf, type NamespaceCache } from './namespace-cache.ts';
import { resolveProfile } from './profiles.ts';

/** Changes come in swarms; they are looked at together, well within the two seconds in which a widening is to be told. */
const LOOK_AFTER_MS = 100;

/** The finding for a profile. Computed when something has changed since it was asked last: policies of one profile share it. */
export type ExclusiveWatches = (cache: NamespaceCache, profile: ProfileSubject) => Exclusivity;

export interface ExclusiveWatchOptions {
  readonly caches: readonly NamespaceCache[];
  readonly world: () => World;
  readonly clock: Clock;
}

type ExclusiveWatch = (profile: ProfileSubject) => Exclusivity;

/** `onNews` is called for a policy whose finding has changed: not for every change of a policy or pod. */
export function createExclusiveWatches(
  { caches, world, clock }: ExclusiveWatchOptions,
  onNews: (policy: QueueKey) => void,
): ExclusiveWatches {
  const watches = new Map(
    caches.map((cache) => {
      const tell = (name: string) => onNews({ namespace: cache.namespace, name });
      return [cache, createWatch(cache, { world, clock }, tell)] as const;
    }),
  );
  return (cache, profile) => watches.get(cache)?.(profile) ?? exclusivity(cache, profile, world());
}

function createWatch(
  cache: NamespaceCache,
  { world, clock }: Pick<ExclusiveWatchOptions, 'world' | 'clock'>,
  onNews: (policy: string) => void,
): ExclusiveWatch {
  let version = 0;
  const computed = new Map<string, { readonly key: string; readonly finding: Exclusivity }>();
  const finding = (profile: ProfileSubject): Exclusivity => {
    const key = canonicalJson({ version, world: world(), profile });
    const known = computed.get(profile.profile);
    if (known?.key === key) return known.finding;
    const found = exclusivity(cache, profile, world());
    computed.set(profile.profile, { key, finding: found });
    return found;
  };

  let told = new Map<string, string>();
  let isLooking = false;
  const look = () => {
    isLooking = false;
    const now = messagesOf(cache, finding);
    for (const policy of cache.policies.list()) {
      const profile = profileOf(policy) ?? '';
      if (now.get(profile) !== told.get(profile)) onNews(policy.metadata.name);
    }
    told = now;
    for (const profile of computed.keys()) if (!now.has(profile)) computed.delete(profile);
  };
  const onChange = (change: Change) => {
    if (!isNews(change)) return;
    version += 1;
    if (!isLooking) clock.schedule(LOOK_AFTER_MS, look);
    isLooking = true;
  };
  for (const informer of informersOf(cache)) informer.onChange(onChange);
  return finding;
}

/** What is found, by profile. One that is not accepted governs nothing. */
function messagesOf(cache: NamespaceCache, finding: ExclusiveWatch): Map<string, string> {
  const profiles = cache.profiles.list().map(({ metadata }) => resolveProfile(cache, metadata.name));
  return new Map(
    profiles.flatMap((profile) => (profile.ok ? [[profile.value.profile, finding(profile.value).message]] : [])),
  );
}

/** Anything but a status: of policies it says what was done about them, of pods it beats. */
function isNews({ previous, current }: Change): boolean {
  if (previous === undefined || current === undefined) return true;
  return weight(previous) !== weight(current);
}

function weight(object: KubeObject): string {
  const { generation, uid, deletionTimestamp, labels, ownerReferences } = object.metadata;
  const pod = { account: accountOf(object), phase: phaseOf(object) };
  return canonicalJson({ generation, uid, deletionTimestamp, labels, ownerReferences, ...pod });
}
