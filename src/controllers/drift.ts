/** How a live object differs from what was decided, and who made the difference. */
import { canonicalJson } from '../compile/canonical.ts';
import type { DesiredObject } from '../compile/names.ts';
import { isRecord, type KubeObject, type ManagedFieldsEntry } from '../kube/types.ts';
import { type FieldPath, holdsField, managersOf } from './managed-fields.ts';
import { OPERATOR_MANAGER } from './resources.ts';

/** What somebody else did to a generated object. */
export interface Drift {
  /** The field manager. Absent when the server booked nobody: a field was taken away, or the whole object. */
  readonly manager?: string;
  /** Such as `.spec.egress`. Absent when the whole object is gone. */
  readonly field?: string;
}

/** Top-level fields that decide nothing about enforcement. Anything else of a policy object does. */
const NOT_ENFORCED = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** What a policy object enforces: normally its `spec`, but a CiliumNetworkPolicy may be given `specs` by somebody as well. */
export function enforcedPart(object: { readonly [field: string]: unknown }): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !NOT_ENFORCED.has(field)));
}

/** The first difference that somebody is booked for, or else the first; undefined when all is as decided. */
export function driftOf(desired: DesiredObject, live: KubeObject): Drift | undefined {
  const paths = differences(desired, live);
  const [first] = paths;
  if (first === undefined) return undefined;
  for (const path of paths) {
    const [manager] = managersOf(live, (entry) => isForeign(entry) && holdsField(entry, path));
    if (manager !== undefined) return { manager, field: fieldText(path) };
  }
  return { field: fieldText(first) };
}

/** True when everything that is enforced is as decided. Marks (labels, owner) are not looked at. */
export function enforcesAsDecided(desired: DesiredObject, live: KubeObject): boolean {
  return canonicalJson({ spec: desired.spec }) === canonicalJson(enforcedPart(live));
}

/** Who else holds a field that is enforced, the latest first. Empty when nobody does. */
export function foreignManagers(live: KubeObject): readonly string[] {
  return managersOf(live, (entry) => isForeign(entry) && holdsEnforcedField(entry));
}

/** For a person: who did what. */
export function describeDrift({ manager, field }: Drift): string {
  if (field === undefined) return 'a generated object was taken away';
  return manager === undefined
    ? `${field} was taken away or changed, by whom is not recorded`
    : `${manager} changed ${field}`;
}

/** Labels and owner of ours that are missing, then every enforced field that is not as decided. */
function differences(desired: DesiredObject, live: KubeObject): readonly FieldPath[] {
  const labels = Object.entries(desired.metadata.labels)
    .filter(([key, value]) => live.metadata.labels?.[key] !== value)
    .map(([key]) => ['metadata', 'labels', key]);
  const owners = live.metadata.ownerReferences ?? [];
  const owned = desired.metadata.ownerReferences.every((wanted) =>
    owners.some(
      (owner) =>
        owner.apiVersion === wanted.apiVersion &&
        owner.kind === wanted.kind &&
        owner.name === wanted.name &&
        owner.uid === wanted.uid &&
        owner.controller === true,
    ),
  );
  return [
    ...labels,
    ...(owned ? [] : [['metadata', 'ownerReferences']]),
    ...differingPaths({ spec: desired.spec }, enforcedPart(live), []),
  ];
}

/** Lists are compared whole, as the API server books them. */
function differingPaths(wanted: unknown, live: unknown, path: FieldPath): readonly FieldPath[] {
  if (canonicalJson(wanted) === canonicalJson(live)) return [];
  if (!isRecord(wanted) || !isRecord(live)) return [path];
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(live)])].sort();
  return keys.flatMap((key) => differingPaths(wanted[key], live[key], [...path, key]));
}

function fieldText(path: FieldPath): string {
  return `.${path.join('.')}`;
}

function isForeign({ manager, subresource }: ManagedFieldsEntry): boolean {
  return manager !== OPERATOR_MANAGER && subresource !== 'status';
}

function holdsEnforcedField({ fieldsV1 = {} }: ManagedFieldsEntry): boolean {
  return Object.keys(fieldsV1).some((field) => field.startsWith('f:') && !NOT_ENFORCED.has(field.slice(2)));
}
