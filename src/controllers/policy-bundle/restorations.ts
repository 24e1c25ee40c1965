/** What was restored lately. Kept in memory; after a restart the status tells, within its generation. */
import type { Clock } from '../../kube/clock.ts';
import { DRIFT_VISIBLE_MS } from '../egress-policy/fights.ts';
import type { LoadedBundle } from './load.ts';

export interface Restoration {
  readonly message: string;
  readonly agoMs: number;
}

export interface Restorations {
  add(loaded: LoadedBundle, message: string): void;
  /** The latest one that is still worth showing. */
  latest(loaded: LoadedBundle, now: Date): Restoration | undefined;
}

export function createRestorations(clock: Clock): Restorations {
  const byUid = new Map<string, { readonly message: string; readonly atMs: number }>();
  const dropOld = () => {
    for (const [uid, { atMs }] of byUid) if (clock.monotonicMs() - atMs >= DRIFT_VISIBLE_MS) byUid.delete(uid);
  };
  return {
    add({ owner }, message) {
      dropOld();
      byUid.set(owner.uid, { message, atMs: clock.monotonicMs() });
    },
    latest(loaded, now) {
      dropOld();
      const known = byUid.get(loaded.owner.uid);
      return known === undefined
        ? toldBefore(loaded, now)
        : { message: known.message, agoMs: clock.monotonicMs() - known.atMs };
    },
  };
}

function toldBefore({ previousStatus, generation }: LoadedBundle, now: Date): Restoration | undefined {
  const { conditions, observedGeneration } = previousStatus;
  const told = conditions?.find(({ type, reason }) => type === 'Degraded' && reason === 'DriftRestored');
  if (told === undefined || observedGeneration !== generation) return undefined;
  const agoMs = now.getTime() - Date.parse(told.lastTransitionTime);
  return agoMs < DRIFT_VISIBLE_MS ? { message: told.message, agoMs } : undefined;
}
