/** Time as a dependency, so that back-off, leases and windows can be tested without waiting. */
export interface Clock {
  /** Wall clock, for what people and other systems read. May jump either way. */
  now(): Date;
  /** Milliseconds that only grow, also while the process is stopped by a signal. For every duration and deadline. */
  monotonicMs(): number;
  /** Runs `callback` once after `ms`; the returned function cancels it. */
  schedule(ms: number, callback: () => void): () => void;
}

/** Uniform in [0, 1), like `Math.random`. */
export type Random = () => number;

/** Node fires a timer at once when its delay does not fit 31 bits, which would turn a long wait into a hot loop. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function systemClock(): Clock {
  return {
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    schedule: (ms, callback) => {
      const timer = setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves after `ms`, or as soon as `signal` is aborted; never rejects, so callers look at the signal themselves. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.schedule(ms, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}
