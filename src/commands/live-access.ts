/** The RBAC objects of a running cluster, as manifests: what is granted now, whoever installed it. Reads only. */
import type { KubeObject, Resource } from '../kube/types.ts';
import type { Manifest, Source } from '../manifests/manifest.ts';
import type { Cluster } from './cluster.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const RESOURCES: readonly Resource[] = [
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount' },
  { ...RBAC, plural: 'roles', kind: 'Role' },
  { ...RBAC, plural: 'rolebindings', kind: 'RoleBinding' },
  { ...RBAC, plural: 'clusterroles', kind: 'ClusterRole' },
  { ...RBAC, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' },
];
const NOWHERE: Source = { file: '', line: () => 1 };

/**
 * All of them: rights of an account may come from any namespace, so that a part would be no answer. Throws an `Error` that names the
 * right that is missing.
 */
export async function liveManifests(cluster: Pick<Cluster, 'list'>): Promise<readonly Manifest[]> {
  const found = await Promise.all(
    RESOURCES.map(async (resource) => manifestsOf(resource, await cluster.list(resource, {}))),
  );
  return found.flat();
}

/** The items of a list do not say what they are. */
function manifestsOf({ group, version, kind }: Resource, items: readonly KubeObject[]): readonly Manifest[] {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  // The rules of an aggregated role are those that the cluster has collected. In a file they say nothing, and stay unknown.
  return items.map(({ aggregationRule: _, ...item }) => ({ object: { ...item, apiVersion, kind }, source: NOWHERE }));
}
