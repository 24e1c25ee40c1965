/** The one status write of a reconcile: server-side apply of the whole status by its own field manager. */
import type { AnyKind } from '../api/kind.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Client } from '../kube/client.ts';
import type { Informer } from '../kube/informer.ts';
import type { KubeObject } from '../kube/types.ts';
import { STATUS_MANAGER } from './resources.ts';

export interface StatusWrite {
  readonly kind: Pick<AnyKind, 'apiVersion' | 'kind'>;
  readonly object: KubeObject;
  readonly status: object;
  readonly signal: AbortSignal;
}

export async function writeStatus(
  { kind, object, status, signal }: StatusWrite,
  client: Client,
  informer: Informer,
): Promise<void> {
  const { name, uid } = object.metadata;
  const body: KubeObject = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: informer.namespace, ...(uid === undefined ? {} : { uid }) },
    status,
  };
  // Forced: the status has one author, and whoever else wrote into it is overruled.
  const written = await client.apply(informer.resource, body, {
    fieldManager: STATUS_MANAGER,
    force: true,
    subresource: 'status',
    signal,
  });
  informer.observe(written);
  const foreign = removalOf(written.status, status);
  if (foreign === undefined) return;
  // Somebody else wrote fields into the status, which an apply leaves alone: a status is believed, so they go.
  const patch = { metadata: { ...(uid === undefined ? {} : { uid }) }, status: foreign };
  const ref = { namespace: informer.namespace, name };
  informer.observe(
    await client.mergePatch(informer.resource, ref, patch, {
      fieldManager: STATUS_MANAGER,
      subresource: 'status',
      signal,
    }),
  );
}

/** A merge patch that makes `live` be `wanted`; undefined when it is. Lists are replaced whole. */
export function removalOf(live: unknown, wanted: object): Record<string, unknown> | undefined {
  if (canonicalJson(live) === canonicalJson(wanted)) return undefined;
  const gone = Object.keys((live ?? {}) as object).filter((key) => !(key in wanted));
  const changed = Object.entries(wanted).map(([key, value]): [string, unknown] => {
    const current = (live as Record<string, unknown> | undefined)?.[key];
    return [key, isPlainObject(value) && isPlainObject(current) ? (removalOf(current, value) ?? {}) : value];
  });
  return { ...Object.fromEntries(gone.map((key) => [key, null])), ...Object.fromEntries(changed) };
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
