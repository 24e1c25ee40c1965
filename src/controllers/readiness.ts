/** Whether enough of a namespace is known to judge its policies: what is not yet listed would look as if it were not there. */
import type { Clock } from '../kube/clock.ts';
import { pause } from '../kube/clock.ts';
import type { Informer } from '../kube/informer.ts';
import { informersOf, type NamespaceCache } from './namespace-cache.ts';

/** How often an unfinished view is looked at again. Only while starting, or while a list is refused. */
const LOOK_MS = 100;

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

/** Calls `onComplete` once; namespaces do not wait for each other. */
export async function whenComplete(
  view: View,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  onComplete: () => void,
): Promise<void> {
  while (!isComplete(view) && !signal.aborted) await pause(clock, LOOK_MS, signal);
  if (!signal.aborted) onComplete();
}
