/** What is reconciled: never an event, always the object as it is when its turn comes. */
export interface QueueKey {
  readonly namespace: string;
  readonly name: string;
}

/** A set of keys, first in first out within a namespace and round robin between namespaces. Every operation is O(1). */
export class FairQueue {
  /** Insertion order of the map is the order of turns; of each set, the order of arrival. */
  readonly #namespaces = new Map<string, Set<string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: QueueKey): boolean {
    return this.#namespaces.get(key.namespace)?.has(key.name) ?? false;
  }

  add(key: QueueKey): void {
    if (this.has(key)) {
      return;
    }
    const names = this.#namespaces.get(key.namespace) ?? new Set<string>();
    names.add(key.name);
    this.#namespaces.set(key.namespace, names);
    this.#size += 1;
  }

  take(): QueueKey | undefined {
    for (const [namespace, names] of this.#namespaces) {
      for (const name of names) {
        names.delete(name);
        this.#size -= 1;
        this.#endTurn(namespace, names);
        return { namespace, name };
      }
    }
    return undefined;
  }

  clear(): void {
    this.#namespaces.clear();
    this.#size = 0;
  }

  #endTurn(namespace: string, names: Set<string>): void {
    this.#namespaces.delete(namespace);
    if (names.size > 0) {
      this.#namespaces.set(namespace, names);
    }
  }
}
