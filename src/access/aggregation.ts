/** What a ClusterRole collects by label from others among the same manifests. The cluster may hold more that the label selects. Pure. */
import { readSelector, satisfies } from '../effective/selectors.ts';
import { isRecord } from '../kube/types.ts';
import type { Manifest, Source } from '../manifests/manifest.ts';
import type { AccessObjects, RoleObject } from './objects.ts';

interface Labelled {
  readonly role: RoleObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly selectors: readonly unknown[];
}

/** With the rules of what it selects as those of each such role: its own are overwritten by the cluster. */
export function withCollected(objects: AccessObjects, manifests: readonly Manifest[]): AccessObjects {
  const all = clusterRoles(objects, manifests);
  return {
    ...objects,
    roles: objects.roles.map((role) =>
      role.aggregated
        ? { ...role, rules: selectedBy(role, all).flatMap((each) => (each.aggregated ? [] : each.rules)) }
        : role,
    ),
  };
}

/** Of the roles that one of `collectors` selects: what they grant is told where that one is in the report. */
export function selectedSources(
  collectors: readonly RoleObject[],
  objects: AccessObjects,
  manifests: readonly Manifest[],
): ReadonlySet<Source> {
  const all = clusterRoles(objects, manifests);
  const sources = new Set(collectors.filter(({ aggregated }) => aggregated).map(({ source }) => source));
  const collecting = all.filter(({ role }) => sources.has(role.source));
  return new Set(collecting.flatMap(({ role }) => selectedBy(role, all).map(({ source }) => source)));
}

/** A role has the object of the manifest that it was read from as its source. */
function clusterRoles({ roles }: AccessObjects, manifests: readonly Manifest[]): readonly Labelled[] {
  const bySource = new Map(manifests.map(({ object, source }) => [source, object]));
  return roles
    .filter(({ kind }) => kind === 'ClusterRole')
    .map((role) => {
      const object = bySource.get(role.source);
      const rule = object?.aggregationRule;
      const selectors = isRecord(rule) && Array.isArray(rule.clusterRoleSelectors) ? rule.clusterRoleSelectors : [];
      return { role, labels: textsOf(object?.metadata.labels), selectors };
    });
}

/** Also through others that collect: what these have collected is copied on. */
function selectedBy(role: RoleObject, all: readonly Labelled[]): readonly RoleObject[] {
  const found = new Set<RoleObject>();
  const look = (from: RoleObject): void => {
    const selectors = all.find((each) => each.role.source === from.source)?.selectors ?? [];
    for (const { role: other, labels } of all) {
      if (found.has(other) || other.source === role.source || !selectors.some((each) => selects(each, labels)))
        continue;
      found.add(other);
      look(other);
    }
  };
  look(role);
  return [...found];
}

/** One that cannot be read selects nothing: the API server refuses it. */
function selects(selector: unknown, labels: Labelled['labels']): boolean {
  const requirements = readSelector(selector);
  return requirements !== undefined && satisfies(requirements, labels);
}

function textsOf(labels: unknown): Labelled['labels'] {
  const entries = Object.entries(isRecord(labels) ? labels : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
