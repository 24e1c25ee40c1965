/** Whether what rests on caches can be judged: one that does not follow the API server is a memory. ADR 0006. */
import type { Informer } from '../kube/informer.ts';

export type Readability = { readonly ok: true } | { readonly ok: false; readonly message: string };

export function readability(informers: readonly Informer[], isCurrent: (informer: Informer) => boolean): Readability {
  const blind = informers.find((informer) => !isCurrent(informer));
  if (blind === undefined) return { ok: true };
  const why = blind.health().lastError?.message ?? 'its watch is not open';
  return { ok: false, message: `${blind.resource.plural} of namespace ${blind.namespace} cannot be followed: ${why}` };
}
