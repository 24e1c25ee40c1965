import { deepFreeze } from './freeze.ts';
import { createNotifier, type Notifier } from './notifier.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorHealth, ReflectorOptions } from './reflector-parts.ts';
import { DEFAULT_REFLECTOR_TIMING, type ReflectorTiming } from './reflector-timing.ts';
import { type Change, type DeletedObject, Store } from './store.ts';
import { type KubeObject, type Resource, resourceName, type WatchEvent } from './types.ts';

/** For a counter; a closed set. */
/** Those of the reflector, and one of its own. */
export const INFORMER_ACTIVITIES = ['list', 'watch', 'failure', 'handler-error'] as const;
export type InformerActivity = (typeof INFORMER_ACTIVITIES)[number];

export interface InformerOptions extends Omit<ReflectorOptions, 'timing' | 'onActivity'> {
  /** Strips what no reader needs, before the object is frozen and kept. Returns a new object of the same name. */
  readonly transform?: ((object: KubeObject) => KubeObject) | undefined;
  readonly timing?: ReflectorTiming | undefined;
  readonly onActivity?: ((activity: InformerActivity) => void) | undefined;
}

export interface InformerHealth extends ReflectorHealth {
  /** The first list is complete, or the API is known to be absent. Never goes back to false. */
  readonly synced: boolean;
}

export interface Informer {
  readonly resource: Resource;
  readonly namespace: string;
  readonly hasSynced: boolean;
  /** Resolves at the first sync; stays pending for as long as that does not happen. */
  readonly synced: Promise<void>;
  /** Deep-frozen, as is everything an informer hands out. */
  get(name: string): KubeObject | undefined;
  list(): KubeObject[];
  /** Handlers must return quickly; what they throw is logged and counted. The returned function removes the handler. */
  onChange(handler: (change: Change) => void): () => void;
  /** Takes the response to our own create or patch, so that the next `get` is never older than it. */
  observe(object: KubeObject): void;
  /** Takes an acknowledged delete. Only for `removed: true`: an object that waits for finalizers is still there. */
  observeDeleted(deleted: DeletedObject): void;
  health(): InformerHealth;
  /** Lists anew unless the last list was asked for at `sinceMs` (monotonic) or later: `health().askedAtMs` tells when it was. */
  relist(sinceMs: number): void;
  /** Lists and watches until `signal` is aborted. Never rejects and never gives up. Call it once. */
  run(signal: AbortSignal): Promise<void>;
}

export function createInformer(options: InformerOptions): Informer {
  return new CachingInformer(options);
}

/** A cache of one resource in one namespace that keeps itself current. */
class CachingInformer implements Informer {
  readonly resource: Resource;
  readonly namespace: string;
  readonly #options: InformerOptions;
  readonly #store = new Store();
  readonly #notifier: Notifier<Change>;
  readonly #reflector: Reflector;
  readonly #firstSync = Promise.withResolvers<void>();
  #hasSynced = false;

  constructor(options: InformerOptions) {
    this.resource = options.resource;
    this.namespace = options.namespace;
    this.#options = options;
    this.#notifier = createNotifier((error, change) => this.#report(error, change.name, 'a change handler failed'));
    this.#reflector = new Reflector(
      {
        ...options,
        timing: options.timing ?? DEFAULT_REFLECTOR_TIMING,
        onActivity: (activity) => options.onActivity?.(activity),
      },
      {
        prepare: (object) => this.#prepare(object),
        beginList: () => this.#store.beginList(),
        replaced: (list, epoch) => this.#synced(this.#store.replace(list, epoch)),
        event: (event) => this.#event(event),
        absent: () => this.#synced(this.#store.clear()),
      },
    );
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get synced(): Promise<void> {
    return this.#firstSync.promise;
  }

  get(name: string): KubeObject | undefined {
    return this.#store.get(name);
  }

  list(): KubeObject[] {
    return this.#store.list();
  }

  onChange(handler: (change: Change) => void): () => void {
    return this.#notifier.add(handler);
  }

  observe(object: KubeObject): void {
    this.#notify(this.#store.observe(this.#prepare(object)));
  }

  observeDeleted(deleted: DeletedObject): void {
    this.#notify(this.#store.observeDeleted(deleted));
  }

  health(): InformerHealth {
    return { ...this.#reflector.health(), synced: this.#hasSynced };
  }

  relist(sinceMs: number): void {
    this.#reflector.relist(sinceMs);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  /** Readers see the whole new state before the first handler runs, and handlers have run before `synced` resolves. */
  #synced(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#notifier.notify(change);
    }
    this.#hasSynced = true;
    this.#firstSync.resolve();
  }

  #event(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') {
      this.#store.bookmark(event.resourceVersion);
      return;
    }
    this.#notify(this.#store.applyEvent({ type: event.type, object: this.#prepare(event.object) }));
  }

  /** What can not be transformed is kept whole: an object left out would look deleted. */
  #prepare(object: KubeObject): KubeObject {
    try {
      return deepFreeze(this.#options.transform?.(object) ?? object);
    } catch (error) {
      this.#report(error, object.metadata.name, 'the transform failed');
      return deepFreeze(object);
    }
  }

  #report(error: unknown, name: string, message: string): void {
    this.#options.onActivity?.('handler-error');
    const fields = { resource: resourceName(this.resource), namespace: this.namespace, name, err: error };
    this.#options.logger.error(fields, message);
  }

  #notify(change: Change | undefined): void {
    if (change !== undefined) {
      this.#notifier.notify(change);
    }
  }
}
