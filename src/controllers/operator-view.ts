/** What the operator knows: a cache of each governed namespace, the reports, and since when it may rely on them. */
import { type Clock, pause } from '../kube/clock.ts';
import type { Informer } from '../kube/informer.ts';
import type { Currency } from './currency.ts';
import { createNamespaceCache, type Followed, type InformerFactory, type NamespaceCache } from './namespace-cache.ts';
import { isComplete } from './readiness.ts';
import { CAPABILITY_REPORTS } from './resources.ts';

export interface OperatorView {
  readonly caches: ReadonlyMap<string, NamespaceCache>;
  readonly reports: Informer;
  /** Namespaces in which something was left undone because their view was partial. */
  readonly missed: Set<string>;
  /** Monotonic: what was listed before counts for nothing. Moves when this process begins to lead. */
  sinceMs: number;
}

interface Governed extends Followed {
  readonly namespaces: readonly string[];
  readonly installNamespace: string;
}

export function createOperatorView(settings: Governed, informer: InformerFactory): OperatorView {
  const caches = settings.namespaces.map((name) => [name, createNamespaceCache(name, settings, informer)] as const);
  const reports = informer(CAPABILITY_REPORTS, settings.installNamespace);
  return { caches: new Map(caches), reports, missed: new Set(), sinceMs: Number.NEGATIVE_INFINITY };
}

/** When this process begins to lead. A cache may lag behind the last writes of the leader before: they would be undone, or written again. */
export async function renewView(
  view: OperatorView,
  informers: readonly Informer[],
  { clock, signal, sinceMs }: { readonly clock: Clock; readonly signal: AbortSignal; readonly sinceMs: number },
): Promise<void> {
  view.sinceMs = sinceMs;
  // Only where somebody has handed the lease over by hand: who led before may not have heard of it.
  await pause(clock, sinceMs - clock.monotonicMs(), signal);
  for (const informer of informers) informer.relist(sinceMs);
}

/** Undefined while the view is partial: nothing is judged on it, and the namespace is enqueued once it is complete. */
export function completeCache(
  { caches, reports, missed, sinceMs }: OperatorView,
  { isCurrent }: Currency,
  namespace: string,
): NamespaceCache | undefined {
  const cache = caches.get(namespace);
  if (cache === undefined || isComplete({ cache, reports, isCurrent, sinceMs })) return cache;
  missed.add(namespace);
  return undefined;
}

export interface Caching {
  /** Once, however often it is called. */
  start(): void;
  end(): Promise<void>;
}

/** Ends with the lease as well: caches that went on would keep a process alive that does nothing any more. */
export function createCaching(informers: readonly Informer[], signal: AbortSignal): Caching {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let running: Promise<unknown> | undefined;
  return {
    start: () => {
      running ??= Promise.all(informers.map((informer) => informer.run(either)));
    },
    end: async () => {
      over.abort();
      await running;
    },
  };
}
