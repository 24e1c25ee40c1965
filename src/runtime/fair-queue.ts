/** What is reconciled: never an event, always the object as it is when its turn comes. */
export interface QueueKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * A set of keys: the urgent ones first, then first in first out within a namespace and round robin between namespaces. Every operation is
 * O(1).
 */
export class FairQueue {
  /** In order of arrival, by a key that names and namespaces cannot forge: they hold no slash. */
  readonly #urgent = new Map<string, QueueKey>();
  /** Insertion order of the map is the order of turns; of each set, the order of arrival. */
  readonly #namespaces = new Map<string, Set<string>>();
  #size = 0;

  get size(): number {
    return this.#size + this.#urgent.size;
  }

  has(key: QueueKey): boolean {
    return this.#urgent.has(idOf(key)) || (this.#namespaces.get(key.namespace)?.has(key.name) ?? false);
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

  /** Ahead of everything that is not urgent, also when it waits already. */
  addFirst(key: QueueKey): void {
    const names = this.#namespaces.get(key.namespace);
    if (names?.delete(key.name) === true) {
      this.#size -= 1;
      if (names.size === 0) {
        this.#namespaces.delete(key.namespace);
      }
    }
    this.#urgent.set(idOf(key), key);
  }

  take(): QueueKey | undefined {
    for (const [id, key] of this.#urgent) {
      this.#urgent.delete(id);
      return key;
    }
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
    this.#urgent.clear();
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

function idOf({ namespace, name }: QueueKey): string {
  return `${namespace}/${name}`;
}
