/**
 * Server-side apply as kubectl makes it, asked of the API server itself: tests apply thousands of objects, and starting kubectl for each took
 * a tenth of their processor time.
 */
import type { KubeObject } from '../../src/kube/types.ts';
import type { RawApi } from './raw-api.ts';
import type { ServedKinds } from './served-kinds.ts';

/**
 * `unsure`: something could not be asked, or was not answered for good; what was taken may be applied again. `refused`: why, in the API
 * server's words; kubectl tells the same in its own.
 */
export type DirectlyApplied = 'applied' | 'unsure' | { readonly refused: string };
export type DirectApply = (objects: readonly object[]) => Promise<DirectlyApplied>;

export function directApply(api: () => Promise<RawApi>, kinds: ServedKinds): DirectApply {
  const applyOne = async ({ apiVersion, kind, metadata, ...rest }: KubeObject): Promise<DirectlyApplied> => {
    const served = await kinds(apiVersion, kind);
    const { name, namespace } = metadata;
    // kubectl knows which namespace is meant by none.
    if (served === undefined || served.namespaced !== (namespace !== undefined)) return 'unsure';
    const answer = await (await api())({
      method: 'PATCH',
      path: `${served.path(namespace)}/${name}?fieldManager=kubectl&fieldValidation=Strict`,
      body: { apiVersion, kind, metadata, ...rest },
      contentType: 'application/apply-patch+yaml',
    });
    if (answer.status < 300) return 'applied';
    const isFinal = answer.status < 500 && answer.status !== 429;
    return isFinal ? { refused: String(answer.body.message) } : 'unsure';
  };
  return async (objects) => {
    for (const object of objects) {
      const applied = await applyOne(object as KubeObject).catch(() => 'unsure' as const);
      if (applied !== 'applied') return applied;
    }
    return 'applied';
  };
}
