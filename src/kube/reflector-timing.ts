import type { BackoffOptions } from './backoff.ts';

export interface ReflectorTiming {
  readonly backoff: BackoffOptions;
  /** Watches are opened at most this often, whatever the reason. */
  readonly minWatchIntervalMs: number;
  /** The server is asked to end a watch after a random time in this range. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
  readonly idleTimeoutMs: number;
}

/**
 * A connection that swallows everything without closing must be noticed within a minute, but the server's bookmarks come about once a minute
 * and, while nothing happens in the cluster, not at all. So watches are short: the server ends a healthy one within the idle timeout.
 * The price is about 1.3 requests per minute on a kept-alive connection.
 */
export const DEFAULT_REFLECTOR_TIMING: ReflectorTiming = {
  // The numbers of client-go (kubernetes/client-go tools/cache/reflector.go): no more than two tries within a second.
  backoff: { minMs: 800, maxMs: 30_000 },
  minWatchIntervalMs: 500,
  watchSeconds: { min: 40, max: 50 },
  idleTimeoutMs: 55_000,
};
