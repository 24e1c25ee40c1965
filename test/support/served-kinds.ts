/** Where the API server keeps the objects of a kind, as it says itself. */
import type { RawApi } from './raw-api.ts';

export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Path of the whole collection, or of the one of a namespace. */
  path(namespace?: string): string;
}

/** Undefined when it is not served. What was found once is not asked for again. */
export type ServedKinds = (apiVersion: string, kind: string) => Promise<ServedKind | undefined>;

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export function servedKinds(api: () => Promise<RawApi>): ServedKinds {
  const known = new Map<string, ServedKind>();
  return async (apiVersion, kind) => {
    const found = known.get(`${apiVersion} ${kind}`);
    if (found !== undefined) return found;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { body } = await (await api())({ method: 'GET', path: root });
    for (const resource of (body.resources ?? []) as readonly ApiResource[]) {
      // Subresources have a slash in their names.
      if (!resource.name.includes('/'))
        known.set(`${apiVersion} ${resource.kind}`, servedAt(root, apiVersion, resource));
    }
    return known.get(`${apiVersion} ${kind}`);
  };
}

function servedAt(root: string, apiVersion: string, { name, kind, namespaced }: ApiResource): ServedKind {
  const path = (namespace?: string) => `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${name}`;
  return { apiVersion, kind, namespaced, path };
}
