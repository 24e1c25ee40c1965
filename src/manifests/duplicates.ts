/** Finds objects that are given twice: of two, nobody can say which one would count. Pure. */
import type { KubeObject } from '../kube/types.ts';
import type { InputProblem, Manifest } from './manifest.ts';

/** `defaultNamespace` is that of objects that name none. A problem stands at the later one. */
export function duplicates(manifests: readonly Manifest[], defaultNamespace: string): readonly InputProblem[] {
  const first = new Map<string, Manifest>();
  return manifests.flatMap((manifest) => {
    const { object, source, isGenerated = false } = manifest;
    if (isGenerated) return [];
    const key = identityOf(object, defaultNamespace);
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, manifest);
      return [];
    }
    const where = `${other.source.file}:${other.source.line()}`;
    const message = `${nameOf(object, defaultNamespace)} is also in ${where}: remove one of them`;
    return [{ file: source.file, line: source.line(), message }];
  });
}

/** Kinds of RBAC without a namespace. One that is written there nevertheless makes no other object of it. */
const CLUSTER_SCOPED = new Set(['ClusterRole', 'ClusterRoleBinding']);

function nameOf({ kind, metadata }: KubeObject, defaultNamespace: string): string {
  if (CLUSTER_SCOPED.has(kind)) return `${kind} ${metadata.name}`;
  // To the API server, an empty text is none.
  return `${kind} ${metadata.namespace || defaultNamespace}/${metadata.name}`;
}

/** Every version of a group shows the same object. */
function identityOf(object: KubeObject, defaultNamespace: string): string {
  const [group = '', version] = object.apiVersion.split('/');
  return `${version === undefined ? '' : group} ${nameOf(object, defaultNamespace)}`;
}
