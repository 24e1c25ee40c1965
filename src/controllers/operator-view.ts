/** What the operator knows: a cache of each governed namespace, the reports, and since when it may rely on them. */
import type { Informer } from '../kube/informer.ts';
import type { Currency } from './currency.ts';
import { createNamespaceCache, type Followed, type InformerFactory, type NamespaceCache } from './namespace-cache.ts';
import { isComplete } from './readiness.ts';
import { CAPABILITY_REPORTS } from './resources.ts';

export interface OperatorView {
  readonly caches: ReadonlyMap<string, NamespaceCache>;
  readonly reports: Informer;
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
  return { caches: new Map(caches), reports, sinceMs: Number.NEGATIVE_INFINITY };
}

/** Undefined while the view is partial: nothing is judged on it, and the namespace is enqueued once it is complete. */
export function completeCache(
  { caches, reports, sinceMs }: OperatorView,
  { isCurrent }: Currency,
  namespace: string,
): NamespaceCache | undefined {
  const cache = caches.get(namespace);
  return cache !== undefined && isComplete({ cache, reports, isCurrent, sinceMs }) ? cache : undefined;
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
