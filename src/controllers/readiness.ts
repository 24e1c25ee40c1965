/** Whether enough of a namespace is known to judge its policies: what is not yet listed would look as if it were not there. */
import type { Clock } from '../kube/clock.ts';
import { pause } from '../kube/clock.ts';
import type { Informer } from '../kube/informer.ts';
import { informersOf, type NamespaceCache } from './namespace-cache.ts';

/** How often an unfinished view is looked at again, in memory only. */
const LOOK_MS = 100;
/** A finished one may be unfinished again, when a list that was refused for long is refused no more and has not come. */
const AGAIN_MS = 1000;

export interface View {
  readonly cache: NamespaceCache;
  /** The CapabilityReports. */
  readonly reports: Informer;
  readonly isCurrent: (informer: Informer) => boolean;
  /** Lists asked for before this monotonic time may lack what another leader wrote last. */
  readonly sinceMs: number;
}

/**
 * A list that stays refused is known to be: what rests on it will be told as not readable, and the rest goes on. One that was refused a moment
 * ago may be granted in the next, as by an API server that has just started: its objects are not taken for absent meanwhile.
 */
export function isComplete({ cache, reports, isCurrent, sinceMs }: View): boolean {
  const isListed = (informer: Informer) => informer.hasSynced && informer.health().askedAtMs >= sinceMs;
  return [...informersOf(cache), reports].every((informer) => isListed(informer) || !isCurrent(informer));
}

export interface FollowOptions {
  readonly view: () => View;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether something was left undone because the view was partial; says so once. */
  readonly missed: () => boolean;
}

/**
 * Calls `onComplete` when the view is complete, and again after it was not, or something was left undone. Namespaces do not wait for each
 * other. Until the signal is aborted.
 */
export async function followComplete(
  { view, clock, signal, missed }: FollowOptions,
  onComplete: () => void,
): Promise<void> {
  let was = false;
  while (!signal.aborted) {
    const is = isComplete(view());
    if (is && (missed() || !was)) onComplete();
    was = is;
    await pause(clock, is ? AGAIN_MS : LOOK_MS, signal);
  }
}
