/** Follows what `Exclusive` rests on, and says which policies have to be looked at again. */
import { EgressPolicy } from '../api/egress-policy.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Subject as ProfileSubject } from '../compile/emit.ts';
import type { World } from '../effective/types.ts';
import type { Clock } from '../kube/clock.ts';
import type { Change } from '../kube/store.ts';
import type { KubeObject } from '../kube/types.ts';
import type { QueueKey } from '../runtime/fair-queue.ts';
import type { Decisions } from './decisions.ts';
import { readStatus, recordedIn } from './egress-policy/read-status.ts';
import { type Exclusivity, exclusivity, profileOf } from './exclusive.ts';
import { accountOf, phaseOf } from './governed-pods.ts';
import { type NamespaceCache, policyInformers } from './namespace-cache.ts';
import { resolveProfile } from './profiles.ts';

/** Changes come in swarms; they are looked at together, well within the two seconds in which a widening is to be told. */
const LOOK_AFTER_MS = 100;
/** Other words for the same finding cost a status write for each policy of the profile, and whoever widens may change them at will. */
export const REWORD_AFTER_MS = 30_000;

/** The finding for a profile. Computed when something has changed since it was asked last: policies of one profile share it. */
export type ExclusiveWatches = (cache: NamespaceCache, profile: ProfileSubject) => Exclusivity;

export interface ExclusiveWatchOptions {
  readonly caches: readonly NamespaceCache[];
  readonly world: () => World;
  readonly clock: Clock;
  readonly decisions: Pick<Decisions, 'madeBy'>;
}

type ExclusiveWatch = (profile: ProfileSubject) => Exclusivity;

/** `onNews` is called for a policy whose finding has changed: not for every change of a policy or pod. */
export function createExclusiveWatches(
  { caches, world, clock, decisions }: ExclusiveWatchOptions,
  onNews: (policy: QueueKey) => void,
): ExclusiveWatches {
  const watches = new Map(
    caches.map((cache) => {
      const tell = (name: string) => onNews({ namespace: cache.namespace, name });
      return [cache, createWatch(cache, { world, clock, decisions }, tell)] as const;
    }),
  );
  return (cache, profile) =>
    watches.get(cache)?.(profile) ?? exclusivity(profile, { cache, world: world(), decisions });
}

interface Told {
  /** What the finding was computed from. */
  readonly key: string;
  readonly finding: Exclusivity;
  readonly sinceMs: number;
}

function createWatch(
  cache: NamespaceCache,
  { world, clock, decisions }: Omit<ExclusiveWatchOptions, 'caches'>,
  onNews: (policy: string) => void,
): ExclusiveWatch {
  let version = 0;
  const computed = new Map<string, Told>();
  const finding = (profile: ProfileSubject): Exclusivity => {
    const key = canonicalJson({ version, world: world(), profile });
    const known = computed.get(profile.profile);
    if (known?.key === key) return known.finding;
    const found = exclusivity(profile, { cache, world: world(), decisions });
    const nowMs = clock.monotonicMs();
    const waitMs = known === undefined ? 0 : known.sinceMs + REWORD_AFTER_MS - nowMs;
    const told = known !== undefined && waitMs > 0 && isReworded(known.finding, found) ? known : undefined;
    if (told !== undefined) rewordAfter(waitMs);
    computed.set(profile.profile, { key, finding: told?.finding ?? found, sinceMs: told?.sinceMs ?? nowMs });
    return told?.finding ?? found;
  };

  let told = new Map<string, string>();
  let isLooking = false;
  let isRewording = false;
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
  const lookSoon = () => {
    version += 1;
    if (!isLooking) clock.schedule(LOOK_AFTER_MS, look);
    isLooking = true;
  };
  const rewordAfter = (waitMs: number) => {
    if (isRewording) return;
    isRewording = true;
    clock.schedule(waitMs, () => {
      isRewording = false;
      lookSoon();
    });
  };
  const onChange = (change: Change) => {
    if (isNews(change)) lookSoon();
  };
  for (const informer of policyInformers(cache)) informer.onChange(onChange);
  return finding;
}

function isReworded(told: Exclusivity, found: Exclusivity): boolean {
  return told.status === found.status && told.message !== found.message;
}

/** What is found, by profile. One that is not accepted governs nothing. */
function messagesOf(cache: NamespaceCache, finding: ExclusiveWatch): Map<string, string> {
  const profiles = cache.profiles.list().map(({ metadata }) => resolveProfile(cache, metadata.name));
  return new Map(
    profiles.flatMap((profile) => (profile.ok ? [[profile.value.profile, finding(profile.value).message]] : [])),
  );
}

/** Anything but a status, which beats; of a policy's, what it records as put in force. */
function isNews({ previous, current }: Change): boolean {
  if (previous === undefined || current === undefined) return true;
  return weight(previous) !== weight(current);
}

function weight(object: KubeObject): string {
  const { generation, uid, deletionTimestamp, labels, ownerReferences } = object.metadata;
  const pod = { account: accountOf(object), phase: phaseOf(object) };
  const recorded = object.kind === EgressPolicy.kind ? recordedIn(readStatus(object.status))?.specHash : undefined;
  return canonicalJson({ generation, uid, deletionTimestamp, labels, ownerReferences, recorded, ...pod });
}
