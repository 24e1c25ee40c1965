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
  const known = new Map<Informer, boolean>();

  const isCurrent = (informer: Informer): boolean => {
    const { connected, absent, forbidden } = informer.health();
    // That an API is not served is the truth about it.
    if (connected || absent) lastFollowedMs.set(informer, clock.monotonicMs());
    const limitMs = forbidden ? REFUSED_AFTER_MS : BLIND_AFTER_MS;
    return clock.monotonicMs() - (lastFollowedMs.get(informer) ?? 0) < limitMs;
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
