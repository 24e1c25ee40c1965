/**
 * Whether a cache still follows the API server. A cache that does not is a memory: nothing is judged True on it, and nothing is written
 * that rests on it.
 */
import { type Clock, pause } from '../kube/clock.ts';
import type { Informer } from '../kube/informer.ts';

/** Longer than a restart of an API server takes: until then the last known state is as good as it gets. */
export const BLIND_AFTER_MS = 120_000;
/** An API server that has just started refuses everybody until it has read its Roles. */
export const REFUSED_AFTER_MS = 10_000;
/** How often it is looked at, in memory only. */
const LOOK_MS = 2000;

export interface Currency {
  readonly isCurrent: (informer: Informer) => boolean;
  /** Looks until the signal is aborted, and tells of each informer that changed sides. */
  follow(signal: AbortSignal, onChange: (informer: Informer) => void): Promise<void>;
}

export function createCurrency(informers: readonly Informer[], clock: Clock): Currency {
  const lastFollowedMs = new Map(informers.map((informer) => [informer, clock.monotonicMs()]));
  const refusedSinceMs = new Map<Informer, number>();
  const known = new Map<Informer, boolean>();

  const isCurrent = (informer: Informer): boolean => {
    const { connected, absent, forbidden } = informer.health();
    // That an API is not served is the truth about it.
    const nowMs = clock.monotonicMs();
    if (connected || absent) lastFollowedMs.set(informer, nowMs);
    // From the first refusal on, not from before an outage: it ends with refusals, and they would count at once.
    if (!forbidden) refusedSinceMs.delete(informer);
    else if (!refusedSinceMs.has(informer)) refusedSinceMs.set(informer, nowMs);
    const isRefused = nowMs - (refusedSinceMs.get(informer) ?? nowMs) >= REFUSED_AFTER_MS;
    return !isRefused && nowMs - (lastFollowedMs.get(informer) ?? 0) < BLIND_AFTER_MS;
  };

  return {
    isCurrent,
    async follow(signal, onChange) {
      while (!signal.aborted) {
        for (const informer of informers) {
          const current = isCurrent(informer);
          if (known.has(informer) && known.get(informer) !== current) onChange(informer);
          known.set(informer, current);
        }
        await pause(clock, LOOK_MS, signal);
      }
    },
  };
}
