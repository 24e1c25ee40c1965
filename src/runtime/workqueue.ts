import { type BackoffOptions, backoffDelayMs } from '../kube/backoff.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { FairQueue, type QueueKey } from './fair-queue.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: BackoffOptions | undefined;
  /** Called with the number of keys that are ready, whenever it changes. */
  readonly onDepth?: ((depth: number) => void) | undefined;
}

export const DEFAULT_QUEUE_BACKOFF: BackoffOptions = { minMs: 50, maxMs: 60_000 };

/** Nothing waits longer: an early wake-up of a level-triggered reconcile is harmless, a timer that overflows is not. */
const MAX_DELAY_MS = 24 * 3600_000;

interface Delayed {
  readonly dueMs: number;
  readonly cancel: () => void;
}

/**
 * Keys to work on, with the guarantees of client-go's queue (kubernetes/client-go util/workqueue): a key that is added while it waits is
 * there once; a key that is added while it is worked on comes again afterwards and is never worked on by two workers at a time. Namespaces
 * take turns, so that one with thousands of objects does not starve the others.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #ready = new FairQueue();
  readonly #processing = new Set<string>();
  /** Added again while being worked on. */
  readonly #dirty = new Map<string, QueueKey>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  /** Until when a key may not be handed out, whoever adds it. */
  readonly #heldUntilMs = new Map<string, number>();
  readonly #waiting: ((key: QueueKey | undefined) => void)[] = [];
  #idle: (() => void)[] = [];
  #shuttingDown = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys that are ready and not yet taken. */
  get depth(): number {
    return this.#ready.size;
  }

  add(key: QueueKey): void {
    this.#add(key, () => this.#ready.add(key));
  }

  /** Ahead of all that waits: for what gets out of hand while it waits, such as a deletion. A key is no more than once in work all the same. */
  addFirst(key: QueueKey): void {
    this.#add(key, () => this.#ready.addFirst(key));
  }

  #add(key: QueueKey, enqueue: () => void): void {
    if (this.#shuttingDown) {
      return;
    }
    const id = idOf(key);
    if (this.#processing.has(id)) {
      this.#dirty.set(id, key);
      return;
    }
    const heldMs = (this.#heldUntilMs.get(id) ?? 0) - this.#options.clock.monotonicMs();
    if (heldMs > 0) {
      this.addAfter(key, heldMs);
      return;
    }
    this.#heldUntilMs.delete(id);
    const worker = this.#ready.has(key) ? undefined : this.#waiting.shift();
    if (worker !== undefined) {
      this.#processing.add(id);
      worker(key);
      return;
    }
    enqueue();
    this.#reportDepth();
  }

  /** Adds after `ms`. Of several pending delays of one key the earliest counts. */
  addAfter(key: QueueKey, ms: number): void {
    if (this.#shuttingDown) {
      return;
    }
    const id = idOf(key);
    const delayMs = Math.min(Math.max(0, ms), MAX_DELAY_MS);
    const dueMs = this.#options.clock.monotonicMs() + delayMs;
    const pending = this.#delayed.get(id);
    if (pending !== undefined && pending.dueMs <= dueMs) {
      return;
    }
    pending?.cancel();
    const cancel = this.#options.clock.schedule(delayMs, () => {
      this.#delayed.delete(id);
      this.add(key);
    });
    this.#delayed.set(id, { dueMs, cancel });
  }

  /** Adds after `ms`, and not before: for a delay that the server named, which the events of our own half-done work must not cut short. */
  addNotBefore(key: QueueKey, ms: number): void {
    const delayMs = Math.min(ms, MAX_DELAY_MS);
    this.#heldUntilMs.set(idOf(key), this.#options.clock.monotonicMs() + delayMs);
    this.addAfter(key, delayMs);
  }

  /** Adds after the key's own back-off, which doubles with each call until `forget`, but at most after `maxMs`. */
  addRateLimited(key: QueueKey, maxMs = Number.POSITIVE_INFINITY): void {
    const { backoff = DEFAULT_QUEUE_BACKOFF, random } = this.#options;
    const failures = (this.#failures.get(idOf(key)) ?? 0) + 1;
    this.#failures.set(idOf(key), failures);
    const maxBackoffMs = Math.min(backoff.maxMs, maxMs);
    this.addAfter(key, backoffDelayMs(failures, { ...backoff, maxMs: maxBackoffMs }, random));
  }

  /** Ends the key's back-off; does not remove it from the queue. */
  forget(key: QueueKey): void {
    this.#failures.delete(idOf(key));
  }

  /** The next key, or `undefined` once the queue is shut down. Each key taken must be given back with `done`. */
  get(): Promise<QueueKey | undefined> {
    if (this.#shuttingDown) {
      return Promise.resolve(undefined);
    }
    const key = this.#ready.take();
    if (key === undefined) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    this.#processing.add(idOf(key));
    this.#reportDepth();
    return Promise.resolve(key);
  }

  done(key: QueueKey): void {
    const id = idOf(key);
    this.#processing.delete(id);
    const again = this.#dirty.get(id);
    this.#dirty.delete(id);
    if (again !== undefined) {
      this.add(again);
    }
    this.#resolveIfIdle();
  }

  /** Hands out nothing more, drops what waits, and resolves when the keys in work are done. */
  shutDown(): Promise<void> {
    this.#shuttingDown = true;
    for (const { cancel } of this.#delayed.values()) {
      cancel();
    }
    this.#delayed.clear();
    this.#dirty.clear();
    this.#ready.clear();
    this.#reportDepth();
    for (const worker of this.#waiting.splice(0)) {
      worker(undefined);
    }
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#resolveIfIdle();
    });
  }

  #resolveIfIdle(): void {
    if (!this.#shuttingDown || this.#processing.size > 0) {
      return;
    }
    for (const resolve of this.#idle.splice(0)) {
      resolve();
    }
  }

  #reportDepth(): void {
    this.#options.onDepth?.(this.#ready.size);
  }
}

/** Names and namespaces hold no slash. */
function idOf(key: QueueKey): string {
  return `${key.namespace}/${key.name}`;
}
