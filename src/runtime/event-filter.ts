import { createHash } from 'node:crypto';
import type { Clock } from '../kube/clock.ts';

export interface EventFilterLimits {
  /** The same reason and note about the same object pass once in this time. */
  readonly windowMs: number;
  /** Events an object may have at once... */
  readonly burst: number;
  /** ...and the time in which it earns one more. */
  readonly refillMs: number;
}

/** As client-go's spam filter (kubernetes/client-go tools/record/events_cache.go): a burst of 25 and one more every five minutes. */
export const DEFAULT_EVENT_LIMITS: EventFilterLimits = { windowMs: 10 * 60_000, burst: 25, refillMs: 5 * 60_000 };

interface Subject {
  tokens: number;
  refilledMs: number;
  /** Digest of reason and note, and when it last passed. */
  readonly passed: Map<string, number>;
}

/** Objects are the tenants' to create, so the memory of them is bounded; the longest untouched is forgotten first. */
const MAX_SUBJECTS = 4096;

/** Keeps Events few: no repeats within a window, and a token bucket per object. */
export class EventFilter {
  readonly #clock: Clock;
  readonly #limits: EventFilterLimits;
  readonly #subjects = new Map<string, Subject>();

  constructor(clock: Clock, limits: EventFilterLimits = DEFAULT_EVENT_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  check(uid: string, content: string): 'pass' | 'duplicate' | 'limited' {
    const nowMs = this.#clock.monotonicMs();
    const subject = this.#touch(uid, nowMs);
    const digest = createHash('sha256').update(content).digest('base64');
    const passedMs = subject.passed.get(digest);
    if (passedMs !== undefined && nowMs - passedMs < this.#limits.windowMs) {
      return 'duplicate';
    }
    if (subject.tokens < 1) {
      return 'limited';
    }
    subject.tokens -= 1;
    subject.passed.set(digest, nowMs);
    return 'pass';
  }

  #touch(uid: string, nowMs: number): Subject {
    const { burst, refillMs, windowMs } = this.#limits;
    const subject = this.#subjects.get(uid) ?? { tokens: burst, refilledMs: nowMs, passed: new Map() };
    const earned = Math.floor((nowMs - subject.refilledMs) / refillMs);
    subject.tokens = Math.min(burst, subject.tokens + earned);
    subject.refilledMs += earned * refillMs;
    for (const [digest, passedMs] of subject.passed) {
      if (nowMs - passedMs >= windowMs) {
        subject.passed.delete(digest);
      }
    }
    this.#subjects.delete(uid);
    this.#subjects.set(uid, subject);
    if (this.#subjects.size > MAX_SUBJECTS) {
      const [oldest] = this.#subjects.keys();
      this.#subjects.delete(oldest ?? '');
    }
    return subject;
  }
}
