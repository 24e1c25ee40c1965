import { compareResourceVersions } from './resource-version.ts';
import type { KubeObject, ObjectList } from './types.ts';

export interface Change {
  readonly name: string;
  readonly previous?: KubeObject;
  /** Absent when the object is gone. */
  readonly current?: KubeObject;
}

export interface DeletedObject {
  readonly name: string;
  readonly uid: string;
}

export type ObjectEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };

interface Entry {
  readonly object: KubeObject;
  /** Came from the response to our own write, and no event or list has caught up with it yet. */
  readonly ownWrite: boolean;
}

/** Each waits for one DELETED event, so there are few; the bound is for events that never come. */
const MAX_TOMBSTONES = 4096;

/**
 * The objects of one resource in one namespace, by name, as the newest source says. Three sources race: the watch, lists, and the responses
 * to our own writes. A reconcile that does not see its own last write would repeat it (KEP-5647), so a write's response is newer than
 * whatever still arrives with a lower resourceVersion. Where versions can not be compared the server's event wins.
 */
export class Store {
  readonly #entries = new Map<string, Entry>();
  /** Objects we deleted, by UID, with the list epoch in which we did. */
  readonly #tombstones = new Map<string, { readonly name: string; readonly epoch: number }>();
  #epoch = 0;
  /** Everything up to this version has been seen. */
  #progress: string | undefined;

  get(name: string): KubeObject | undefined {
    return this.#entries.get(name)?.object;
  }

  list(): KubeObject[] {
    return Array.from(this.#entries.values(), (entry) => entry.object);
  }

  applyEvent(event: ObjectEvent): Change | undefined {
    this.#progress = event.object.metadata.resourceVersion;
    return event.type === 'DELETED' ? this.#applyDeleted(event.object) : this.#applyPresent(event.object);
  }

  bookmark(resourceVersion: string): void {
    this.#progress = resourceVersion;
  }

  /** To be called before the list is requested: what we delete while it is on its way is not undone by it. */
  beginList(): number {
    this.#epoch += 1;
    return this.#epoch;
  }

  /** Makes the store equal to a consistent list, but for our own writes that are newer than it. Returns what changed. */
  replace(list: ObjectList, epoch: number): Change[] {
    this.#progress = list.resourceVersion;
    this.#dropTombstonesBefore(epoch);
    const listed = new Set<string>();
    const changes: (Change | undefined)[] = [];
    for (const object of list.items) {
      if (!this.#isTombstoned(object)) {
        listed.add(object.metadata.name);
        changes.push(this.#isNewerOwnWrite(object.metadata.name, object) ? undefined : this.#set(object, false));
      }
    }
    for (const [name, entry] of this.#entries) {
      if (!listed.has(name) && !(entry.ownWrite && isNewer(entry.object, list.resourceVersion))) {
        changes.push(this.#remove(name));
      }
    }
    return changes.filter((change) => change !== undefined);
  }

  clear(): Change[] {
    this.#progress = undefined;
    this.#tombstones.clear();
    return Array.from(this.#entries.keys(), (name) => this.#remove(name)).filter((change) => change !== undefined);
  }

  /** Takes the response to our own write. Ignored when the watch has already shown something as new, or has already passed it by. */
  observe(object: KubeObject): Change | undefined {
    const existing = this.#entries.get(object.metadata.name);
    const known = existing === undefined ? this.#progress : existing.object.metadata.resourceVersion;
    const order = compareResourceVersions(object.metadata.resourceVersion, known);
    if (this.#isTombstoned(object) || (order !== undefined && order <= 0)) {
      return undefined;
    }
    return this.#set(object, true);
  }

  observeDeleted(deleted: DeletedObject): Change | undefined {
    this.#tombstones.set(deleted.uid, { name: deleted.name, epoch: this.#epoch });
    if (this.#tombstones.size > MAX_TOMBSTONES) {
      const [oldest] = this.#tombstones.keys();
      this.#tombstones.delete(oldest ?? '');
    }
    return this.get(deleted.name)?.metadata.uid === deleted.uid ? this.#remove(deleted.name) : undefined;
  }

  #applyPresent(object: KubeObject): Change | undefined {
    const existing = this.get(object.metadata.name);
    const order = compareResourceVersions(object.metadata.resourceVersion, existing?.metadata.resourceVersion);
    if (this.#isTombstoned(object) || (order !== undefined && order < 0)) {
      return undefined;
    }
    return this.#set(object, false);
  }

  #applyDeleted(object: KubeObject): Change | undefined {
    const { name, uid, resourceVersion } = object.metadata;
    this.#tombstones.delete(uid ?? '');
    const existing = this.get(name);
    // A UID never comes back, so its deletion is final whatever the versions say; another incarnation goes only if it is older.
    const sameIncarnation = uid !== undefined && existing?.metadata.uid === uid;
    const order = compareResourceVersions(resourceVersion, existing?.metadata.resourceVersion);
    if (existing === undefined || (!sameIncarnation && order !== undefined && order <= 0)) {
      return undefined;
    }
    return this.#remove(name);
  }

  /** Equal versions are the same content: keep the object readers already hold and report nothing. */
  #set(object: KubeObject, ownWrite: boolean): Change | undefined {
    const { name, uid, resourceVersion } = object.metadata;
    const previous = this.get(name);
    const same =
      previous !== undefined &&
      resourceVersion !== undefined &&
      previous.metadata.resourceVersion === resourceVersion &&
      previous.metadata.uid === uid;
    this.#entries.set(name, { object: same ? previous : object, ownWrite });
    if (same) {
      return undefined;
    }
    this.#dropTombstonesOf(name, uid);
    return previous === undefined ? { name, current: object } : { name, previous, current: object };
  }

  #remove(name: string): Change | undefined {
    const previous = this.get(name);
    this.#entries.delete(name);
    return previous === undefined ? undefined : { name, previous };
  }

  #isTombstoned(object: KubeObject): boolean {
    return this.#tombstones.has(object.metadata.uid ?? '');
  }

  #isNewerOwnWrite(name: string, listed: KubeObject): boolean {
    const entry = this.#entries.get(name);
    return entry?.ownWrite === true && isNewer(entry.object, listed.metadata.resourceVersion);
  }

  /** A list that was requested after our delete shows whether it took: it is the truth about that UID. */
  #dropTombstonesBefore(epoch: number): void {
    for (const [uid, tombstone] of this.#tombstones) {
      if (tombstone.epoch < epoch) {
        this.#tombstones.delete(uid);
      }
    }
  }

  /** A new incarnation under the name proves that the old one is gone. */
  #dropTombstonesOf(name: string, uid: string | undefined): void {
    for (const [tombstoned, { name: tombstonedName }] of this.#tombstones) {
      if (tombstonedName === name && tombstoned !== uid) {
        this.#tombstones.delete(tombstoned);
      }
    }
  }
}

function isNewer(object: KubeObject, resourceVersion: string | undefined): boolean {
  const order = compareResourceVersions(object.metadata.resourceVersion, resourceVersion);
  return order !== undefined && order > 0;
}
