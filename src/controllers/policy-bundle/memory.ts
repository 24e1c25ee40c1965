/**
 * Remembers what was found by a look at something that is not watched, and when it is due to be looked at again. ConfigMaps can only be
 * watched with the right to read every one of them. Kept in memory.
 */
import type { Clock, Random } from '../../kube/clock.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';

export interface LookTiming {
  /** After which what is not as it should be is looked at again; doubles each time, up to `recheckMs`. */
  readonly retryMs: number;
  /** After which at the latest what is as it should be is looked at again. */
  readonly recheckMs: number;
}

/** What is remembered, of which bundle, and about what: about something else nothing is known. */
export interface Subject {
  readonly key: QueueKey;
  readonly about: string;
}

/**
 * `good`: it is as it should be. `refused`: it may not be looked at, and a grant comes without an event. What is believed `unseen` may have
 * been seen long ago, by a process that has ended.
 */
export type Outcome = 'good' | 'bad' | 'refused' | 'unseen';

/** As long as the work queue waits for a grant. */
const REFUSED_MAX_MS = 60_000;

export interface Known<T> {
  readonly value: T;
  /** Not positive: it has to be looked at again. */
  readonly dueInMs: number;
}

export interface Memory<T> {
  recall(subject: Subject): Known<T> | undefined;
  remember(subject: Subject, value: T, outcome: Outcome): void;
  forget(key: QueueKey): void;
}

interface Entry<T> {
  readonly about: string;
  readonly value: T;
  readonly isBad: boolean;
  readonly waitMs: number;
  readonly dueMs: number;
}

export interface MemoryParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly timing: LookTiming;
}

export function createMemory<T>({ clock, random, timing }: MemoryParts): Memory<T> {
  const entries = new Map<string, Entry<T>>();
  const known = ({ key, about }: Subject): Entry<T> | undefined => {
    const entry = entries.get(idOf(key));
    return entry?.about === about ? entry : undefined;
  };
  const waitMs = (subject: Subject, outcome: Outcome): number => {
    const last = known(subject);
    const longer = Math.min(last?.isBad ? 2 * last.waitMs : timing.retryMs, timing.recheckMs);
    switch (outcome) {
      case 'bad':
        return longer;
      case 'refused':
        return Math.min(longer, REFUSED_MAX_MS);
      // Spread, so that many that came at once are not looked at at once.
      case 'good':
        return timing.recheckMs * (0.8 + 0.2 * random());
      case 'unseen':
        return timing.recheckMs * random();
    }
  };
  return {
    recall(subject) {
      const entry = known(subject);
      return entry && { value: entry.value, dueInMs: entry.dueMs - clock.monotonicMs() };
    },
    remember(subject, value, outcome) {
      const wait = waitMs(subject, outcome);
      entries.set(idOf(subject.key), {
        about: subject.about,
        value,
        isBad: outcome === 'bad' || outcome === 'refused',
        waitMs: wait,
        dueMs: clock.monotonicMs() + wait,
      });
    },
    forget: (key) => void entries.delete(idOf(key)),
  };
}

function idOf({ namespace, name }: QueueKey): string {
  return `${namespace}/${name}`;
}
