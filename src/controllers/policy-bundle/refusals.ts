/** An API server that has just started refuses everybody until it has read its Roles: what was readable is not given up for that. */
import type { Clock } from '../../kube/clock.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import { REFUSED_AFTER_MS } from '../currency.ts';

export interface Refusals {
  /** Counts from the first refusal of those that follow each other. */
  isPassing(key: QueueKey): boolean;
  end(key: QueueKey): void;
}

export function createRefusals(clock: Clock): Refusals {
  const sinceMs = new Map<string, number>();
  return {
    isPassing(key) {
      const first = sinceMs.get(idOf(key)) ?? clock.monotonicMs();
      sinceMs.set(idOf(key), first);
      return clock.monotonicMs() - first < REFUSED_AFTER_MS;
    },
    end: (key) => void sinceMs.delete(idOf(key)),
  };
}

function idOf({ namespace, name }: QueueKey): string {
  return `${namespace}/${name}`;
}
