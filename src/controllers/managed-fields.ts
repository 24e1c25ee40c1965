/**
 * Who holds a field, from `metadata.managedFields`. The server books a manager with what it sets, never with what it takes away.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { isRecord, type KubeObject, type ManagedFieldsEntry } from '../kube/types.ts';

/** Such as `['metadata', 'labels', 'example.com/a']`: keys may hold dots. */
export type FieldPath = readonly string[];

/** Whether the entry books the field, something in it, or an atomic value that it is in. */
export function holdsField({ fieldsV1 = {} }: ManagedFieldsEntry, path: FieldPath): boolean {
  let node: Readonly<Record<string, unknown>> = fieldsV1;
  for (const part of path) {
    const next = node[`f:${part}`];
    if (!isRecord(next)) return node !== fieldsV1 && Object.keys(node).length === 0;
    node = next;
  }
  return true;
}

/** Managers of entries that fulfil `wanted`, the latest change first. */
export function managersOf(object: KubeObject, wanted: (entry: ManagedFieldsEntry) => boolean): readonly string[] {
  return (object.metadata.managedFields ?? [])
    .filter(wanted)
    .sort((a, b) => timeOf(b) - timeOf(a))
    .map(({ manager }) => manager ?? 'unknown');
}

function timeOf({ time }: ManagedFieldsEntry): number {
  return time === undefined ? 0 : Date.parse(time);
}
