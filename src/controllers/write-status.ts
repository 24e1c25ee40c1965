/** The one status write of a reconcile: server-side apply of the whole status by its own field manager. */
import type { AnyKind } from '../api/kind.ts';
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
}
