import { isRecord, type KubeObject } from '../types.ts';

export type StoredEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };

/** Versions and UIDs shared by all collections of one server, as in etcd. */
export interface Counters {
  version: number;
  uid: number;
}

/** One resource in one namespace: objects, and the history a watch replays. */
export class FakeCollection {
  readonly objects = new Map<string, KubeObject>();
  readonly history: StoredEvent[] = [];
  /** Versions below this were compacted away. */
  compactedBefore = 0;
  readonly #counters: Counters;
  readonly #listeners = new Set<(event: StoredEvent) => void>();

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  put(object: KubeObject): KubeObject {
    const existing = this.objects.get(object.metadata.name);
    this.#counters.version += 1;
    const uid = existing?.metadata.uid ?? `uid-${++this.#counters.uid}`;
    const metadata = { ...object.metadata, uid, resourceVersion: String(this.#counters.version) };
    const stored = { ...object, metadata };
    this.objects.set(object.metadata.name, stored);
    this.#emit({ type: existing === undefined ? 'ADDED' : 'MODIFIED', object: stored });
    return stored;
  }

  remove(name: string): void {
    const existing = this.objects.get(name);
    if (existing === undefined) {
      return;
    }
    this.objects.delete(name);
    this.#counters.version += 1;
    const metadata = { ...existing.metadata, resourceVersion: String(this.#counters.version) };
    this.#emit({ type: 'DELETED', object: { ...existing, metadata } });
  }

  subscribe(listener: (event: StoredEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #emit(event: StoredEvent): void {
    this.history.push(event);
    for (const listener of this.#listeners) {
      listener(event);
    }
  }
}

/** RFC 7386, which is also close enough to server-side apply for what these tests look at. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) {
    return patch;
  }
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete merged[key];
    } else {
      merged[key] = mergePatch(merged[key], value);
    }
  }
  return merged;
}
