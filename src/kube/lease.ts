import { namedDelayMs } from './backoff.ts';
import { type Clock, pause, type Random } from './clock.ts';
import { KubeError } from './errors.ts';
import { LeaseLock, type LeaseLockOptions, type LockAttempt } from './lease-lock.ts';
import type { Logger } from './logger.ts';

/**
 * The numbers of client-go (kubernetes/client-go tools/leaderelection). A candidate waits `leaseSeconds` without a sign of life; a leader
 * gives up `renewDeadlineSeconds` after its last renewal. The difference is what a write in flight has to finish before anybody else acts.
 */
export interface LeaseTiming {
  readonly leaseSeconds: number;
  readonly renewDeadlineSeconds: number;
  readonly retrySeconds: number;
}

export const DEFAULT_LEASE_TIMING: LeaseTiming = { leaseSeconds: 15, renewDeadlineSeconds: 10, retrySeconds: 2 };

export interface ElectorOptions extends Omit<LeaseLockOptions, 'leaseSeconds'> {
  readonly random: Random;
  readonly logger: Logger;
  readonly timing?: LeaseTiming | undefined;
}

export interface LeaderCallbacks {
  /** Called once, when the first try has not got the lease. */
  onWaiting?(): void;
  /**
   * Does the leader's work until the signal is aborted. When it ends by itself the lease is released. `othersUntilMs`: the monotonic time
   * until which somebody else may have led, -Infinity when nobody else was seen. What was read before it may be from before their last write.
   */
  onStartedLeading(signal: AbortSignal, othersUntilMs: number): Promise<void>;
  /** Called once after leading, whatever the cause. */
  onStoppedLeading(): void;
}

/** `stopped`: by the caller's signal, or the work ended. `lost`: the process must not act any more and should exit. */
export type ElectionEnd = 'stopped' | 'lost';

/** Thrown before a write by a process that is not, or no longer, the leader. */
export class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError';
  readonly reason = 'NotLeading';
  readonly retry = 'never';
}

export interface Elector {
  /** Waits for the lease, leads once, and returns. Rejects only with what `onStartedLeading` rejects with. */
  run(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<ElectionEnd>;
  /**
   * Compares the monotonic clock with the last renewal, without I/O. A process that was stopped and continued, or whose event loop was
   * blocked, gets `false` here before any of its timers has run.
   */
  isLeading(): boolean;
  /** For the line before a write. Throws `NotLeadingError`. */
  assertLeading(): void;
}

export function createElector(options: ElectorOptions): Elector {
  return new LeaseElector(options);
}

type Held = Extract<LockAttempt, { readonly held: true }>;

/** A renewal that hangs must leave time for another try within the deadline. */
const MAX_CALL_MS = 5000;
const RELEASE_TIMEOUT_MS = 2000;

class LeaseElector implements Elector {
  readonly #clock: Clock;
  readonly #options: ElectorOptions;
  readonly #timing: LeaseTiming;
  readonly #lock: LeaseLock;
  #leadingUntilMs = Number.NEGATIVE_INFINITY;
  /** The server asked for no call before then. */
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: ElectorOptions) {
    const timing = options.timing ?? DEFAULT_LEASE_TIMING;
    if (!(timing.leaseSeconds > timing.renewDeadlineSeconds && timing.renewDeadlineSeconds > timing.retrySeconds)) {
      throw new RangeError('lease timing: leaseSeconds > renewDeadlineSeconds > retrySeconds does not hold');
    }
    this.#clock = options.clock;
    this.#options = options;
    this.#timing = timing;
    this.#lock = new LeaseLock({ ...options, leaseSeconds: timing.leaseSeconds });
  }

  isLeading(): boolean {
    return this.#clock.monotonicMs() < this.#leadingUntilMs;
  }

  assertLeading(): void {
    if (!this.isLeading()) {
      throw new NotLeadingError(`${this.#options.identity} does not hold the lease ${this.#options.name}`);
    }
  }

  async run(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<ElectionEnd> {
    const held = await this.#acquire(signal, callbacks);
    return held === undefined ? 'stopped' : this.#lead(signal, callbacks, held.othersUntilMs);
  }

  async #acquire(signal: AbortSignal, callbacks: LeaderCallbacks): Promise<Held | undefined> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      try {
        const attempt = await this.#lock.acquire(MAX_CALL_MS);
        if (attempt.held) {
          this.#extend(attempt.sinceMs);
          if (this.isLeading()) {
            return attempt;
          }
        } else {
          this.#options.logger.debug({ lease: this.#options.name, holder: attempt.holder }, 'the lease is held');
        }
      } catch (error) {
        this.#failed(error, 'the lease could not be acquired, trying again');
      }
      if (tries === 0) callbacks.onWaiting?.();
      await this.#pauseBetweenTries(signal);
    }
    return undefined;
  }

  async #lead(signal: AbortSignal, callbacks: LeaderCallbacks, othersUntilMs: number): Promise<ElectionEnd> {
    const { logger, name, identity } = this.#options;
    logger.info({ lease: name, identity }, 'started leading');
    const leading = new AbortController();
    const renewing = new AbortController();
    const work = startWork(callbacks, leading.signal, othersUntilMs);
    // Whoever ends the work, the renewals end with it; the signal joins both, so that neither waits for the other.
    void work.settled.then(() => renewing.abort());
    const end = await this.#keepRenewing(AbortSignal.any([signal, renewing.signal]));
    leading.abort();
    if (end === 'stopped') {
      await this.#finish(work.settled);
    }
    this.#leadingUntilMs = Number.NEGATIVE_INFINITY;
    logger.info({ lease: name, identity, end }, 'stopped leading');
    callbacks.onStoppedLeading();
    if (end === 'stopped') {
      work.throwIfFailed();
    }
    return end;
  }

  async #keepRenewing(signal: AbortSignal): Promise<ElectionEnd> {
    for (;;) {
      await this.#pauseBetweenTries(signal);
      if (!this.isLeading()) {
        return 'lost';
      }
      if (signal.aborted) {
        return 'stopped';
      }
      if (!(await this.#renew())) {
        this.#leadingUntilMs = Number.NEGATIVE_INFINITY;
        return 'lost';
      }
    }
  }

  /** False when somebody else holds the lease, or when the answer came too late to be of use. */
  async #renew(): Promise<boolean> {
    try {
      const remainingMs = this.#leadingUntilMs - this.#clock.monotonicMs();
      const attempt = await this.#lock.renew(Math.min(MAX_CALL_MS, remainingMs));
      // A process that slept through its own deadline steps down even if the late renewal succeeded: others may have acted meanwhile.
      if (!attempt.held || !this.isLeading()) {
        return false;
      }
      this.#extend(attempt.sinceMs);
      return true;
    } catch (error) {
      this.#failed(error, 'the lease could not be renewed, trying again');
      return this.isLeading();
    }
  }

  /** Gives the lease back once the work has really ended; a lease that others take while we still write would be no lease. */
  async #finish(settled: Promise<void>): Promise<void> {
    const abandoned = new AbortController();
    const ended = await Promise.race([
      settled.then(() => true),
      pause(this.#clock, this.#leadingUntilMs - this.#clock.monotonicMs(), abandoned.signal).then(() => false),
    ]);
    abandoned.abort();
    this.#leadingUntilMs = Number.NEGATIVE_INFINITY;
    if (!ended) {
      this.#options.logger.warn(
        { lease: this.#options.name },
        'the work did not end in time, the lease runs out by itself',
      );
      return;
    }
    try {
      await this.#lock.release(RELEASE_TIMEOUT_MS);
    } catch (error) {
      this.#failed(error, 'the lease could not be released, it runs out by itself');
    }
  }

  #extend(sinceMs: number): void {
    this.#leadingUntilMs = sinceMs + this.#timing.renewDeadlineSeconds * 1000;
  }

  /** Up to a fifth longer, so that candidates that started together do not stay together. A leader wakes when its time is over. */
  #pauseBetweenTries(signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const retryMs = this.#timing.retrySeconds * 1000 * (1 + 0.2 * this.#options.random());
    const waitMs = Math.max(retryMs, this.#heldUntilMs - nowMs);
    return pause(this.#clock, this.isLeading() ? Math.min(waitMs, this.#leadingUntilMs - nowMs) : waitMs, signal);
  }

  #failed(error: unknown, message: string): void {
    if (error instanceof KubeError && typeof error.retry === 'object') {
      this.#heldUntilMs = this.#clock.monotonicMs() + namedDelayMs(error.retry.afterMs, this.#options.random);
    }
    const reason = error instanceof KubeError ? error.reason : 'Unknown';
    const text = error instanceof Error ? error.message : String(error);
    this.#options.logger.warn({ lease: this.#options.name, reason, error: text }, message);
  }
}

interface Work {
  /** Resolves when the work has ended, well or not. */
  readonly settled: Promise<void>;
  throwIfFailed(): void;
}

function startWork(callbacks: LeaderCallbacks, signal: AbortSignal, othersUntilMs: number): Work {
  let failure: { readonly cause: unknown } | undefined;
  const settled = (async () => callbacks.onStartedLeading(signal, othersUntilMs))().catch((cause: unknown) => {
    failure = { cause };
  });
  return {
    settled,
    throwIfFailed: () => {
      if (failure !== undefined) {
        throw failure.cause;
      }
    },
  };
}
