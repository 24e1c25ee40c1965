/** Stable identities are unique within kind and namespace: the older object keeps one, the younger is refused. */
import { compareText } from '../compile/canonical.ts';
import type { KubeObject } from '../kube/types.ts';

/** The name of the older object with the same `spec.id`; undefined when this one may keep it. */
export function identityRival(object: KubeObject, all: readonly KubeObject[]): string | undefined {
  const id = idOf(object);
  if (id === undefined) return undefined;
  return oldestOther(object, all, (other) => idOf(other) === id);
}

/** The name of the oldest of the `all` that fulfil `competes` and are older than `object`. */
export function oldestOther(
  object: KubeObject,
  all: readonly KubeObject[],
  competes: (other: KubeObject) => boolean,
): string | undefined {
  const older = all
    .filter((other) => other.metadata.uid !== object.metadata.uid && byAge(other, object) < 0 && competes(other))
    .sort(byAge);
  return older[0]?.metadata.name;
}

export function idOf(object: KubeObject): string | undefined {
  const spec = object.spec as { readonly id?: unknown } | undefined;
  return typeof spec?.id === 'string' ? spec.id : undefined;
}

/** The older first, by creation time; objects of the same second are told apart by UID, so that every replica decides alike. */
export function byAge(a: KubeObject, b: KubeObject): number {
  const createdFirst = compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '');
  return createdFirst === 0 ? compareText(a.metadata.uid ?? '', b.metadata.uid ?? '') : createdFirst;
}
