/** How a live object differs from what was decided, and who made the difference. */
import { canonicalJson } from '../compile/canonical.ts';
import type { DesiredObject } from '../compile/names.ts';
import type { KubeObject, ManagedFieldsEntry } from '../kube/types.ts';
import { OPERATOR_MANAGER } from './resources.ts';

/** Top-level fields that decide nothing about enforcement. Anything else of a policy object does. */
const NOT_ENFORCED = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** What a policy object enforces: normally its `spec`, but a CiliumNetworkPolicy may be given `specs` by somebody as well. */
export function enforcedPart(object: { readonly [field: string]: unknown }): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !NOT_ENFORCED.has(field)));
}

/** The first field that is not as decided, such as `.spec.egress`; undefined when all are. */
export function firstDifference(desired: DesiredObject, live: KubeObject): string | undefined {
  const marks = markDifference(desired, live);
  if (marks !== undefined) return marks;
  return differingPath({ spec: desired.spec }, enforcedPart(live), '');
}

/** True when everything that is enforced is as decided. Marks (labels, owner) are not looked at. */
export function enforcesAsDecided(desired: DesiredObject, live: KubeObject): boolean {
  return canonicalJson({ spec: desired.spec }) === canonicalJson(enforcedPart(live));
}

function markDifference(desired: DesiredObject, live: KubeObject): string | undefined {
  for (const [key, value] of Object.entries(desired.metadata.labels)) {
    if (live.metadata.labels?.[key] !== value) return `.metadata.labels.${key}`;
  }
  const owners = live.metadata.ownerReferences ?? [];
  const owned = desired.metadata.ownerReferences.every((wanted) =>
    owners.some((owner) => owner.uid === wanted.uid && owner.controller === true),
  );
  return owned ? undefined : '.metadata.ownerReferences';
}

function differingPath(wanted: unknown, live: unknown, path: string): string | undefined {
  if (canonicalJson(wanted) === canonicalJson(live)) return undefined;
  if (!isRecord(wanted) || !isRecord(live)) return path === '' ? '.' : path;
  for (const key of [...new Set([...Object.keys(wanted), ...Object.keys(live)])].sort()) {
    const found = differingPath(wanted[key], live[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return path;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Who else holds a field that we decide, the latest first. Empty when nobody does. */
export function foreignManagers(live: KubeObject): readonly string[] {
  return (live.metadata.managedFields ?? [])
    .filter((entry) => entry.manager !== OPERATOR_MANAGER && entry.subresource !== 'status' && holdsOurFields(entry))
    .sort((a, b) => compareTimes(b.time, a.time))
    .map((entry) => entry.manager ?? 'unknown');
}

function holdsOurFields(entry: ManagedFieldsEntry): boolean {
  return Object.keys(entry.fieldsV1 ?? {}).some((field) => field.startsWith('f:') && !NOT_ENFORCED.has(field.slice(2)));
}

/** The manager that changed the object last, other than us: the likely author of a change that leaves no owned field. */
export function lastForeignManager(live: KubeObject): string {
  const [latest] = (live.metadata.managedFields ?? [])
    .filter((entry) => entry.manager !== OPERATOR_MANAGER && entry.subresource !== 'status')
    .sort((a, b) => compareTimes(b.time, a.time));
  return latest?.manager ?? 'unknown';
}

function compareTimes(a: string | undefined, b: string | undefined): number {
  return (a === undefined ? 0 : Date.parse(a)) - (b === undefined ? 0 : Date.parse(b));
}
