/**
 * Server-side apply as kubectl makes it, asked of the API server itself: tests apply thousands of objects, and starting kubectl for each took
 * a tenth of their processor time.
 */
import type { KubeObject } from '../../src/kube/types.ts';
import type { RawApi } from './raw-api.ts';
import type { ServedKinds } from './served-kinds.ts';

/** False when not everything was taken: kubectl then tells better why not. What was taken may be applied again. */
export type DirectApply = (objects: readonly object[]) => Promise<boolean>;

export function directApply(api: () => Promise<RawApi>, kinds: ServedKinds): DirectApply {
  const isApplied = async ({ apiVersion, kind, metadata, ...rest }: KubeObject): Promise<boolean> => {
    const served = await kinds(apiVersion, kind);
    const { name, namespace } = metadata;
    // kubectl knows which namespace is meant by none.
    if (served === undefined || served.namespaced !== (namespace !== undefined)) return false;
    const answer = await (await api())({
      method: 'PATCH',
      path: `${served.path(namespace)}/${name}?fieldManager=kubectl&fieldValidation=Strict`,
      body: { apiVersion, kind, metadata, ...rest },
      contentType: 'application/apply-patch+yaml',
    });
    return answer.status < 300;
  };
  return async (objects) => {
    for (const object of objects) {
      if (!(await isApplied(object as KubeObject).catch(() => false))) return false;
    }
    return true;
  };
}
