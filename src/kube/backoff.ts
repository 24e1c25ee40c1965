import type { Random } from './clock.ts';

/**
 * The longest wait between two tries of a server that is away. It must be in use again ten seconds after it is back, of which the first go to
 * its own refusals (storage that initialises, Roles that are read); and a refused connection is cheap.
 */
export const OUTAGE_MAX_MS = 5000;

export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Delay before try number `failures` (1 for the first retry): doubles from `minMs` up to `maxMs`, of which the upper half is random.
 * The jitter keeps the clients of a restarted API server from returning at the same instant; the fixed half keeps a delay a delay.
 */
export function backoffDelayMs(failures: number, options: BackoffOptions, random: Random): number {
  const exponent = Math.min(Math.max(failures - 1, 0), 52);
  const ceiling = Math.min(options.maxMs, options.minMs * 2 ** exponent);
  return ceiling / 2 + (ceiling / 2) * random();
}

/** Never earlier than the server said, and not all clients at the same instant: up to a tenth later. */
export function namedDelayMs(afterMs: number, random: Random): number {
  return afterMs * (1 + 0.1 * random());
}
