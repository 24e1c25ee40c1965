import type { Client } from '../client.ts';
import { type Attempt, KubeError, type KubeErrorReason } from '../errors.ts';
import { isKubeObject, isRecord, type KubeObject } from '../types.ts';
import { FakeCollection, mergePatch } from './fake-collection.ts';

export interface LeaseServer {
  readonly collection: FakeCollection;
  /** A client of this server. While `broken` it fails, after committing if that is said. */
  client(): LeaseClient;
}

export interface LeaseClient extends Pick<Client, 'get' | 'create' | 'mergePatch'> {
  broken: KubeErrorReason | undefined;
  commitsWhenBroken: boolean;
}

const ATTEMPT: Attempt = { verb: 'patch', resource: 'leases.coordination.k8s.io' };

/** Leases in memory, without sockets, so that election runs on a fake clock alone. */
export function createLeaseServer(): LeaseServer {
  const collection = new FakeCollection({ version: 0, uid: 0 });
  return {
    collection,
    client: () => {
      const client: LeaseClient = {
        broken: undefined,
        commitsWhenBroken: false,
        get: async (_, ref) => guarded(client, () => collection.objects.get(ref.name) ?? raise('NotFound')),
        create: async (_, object) => guarded(client, () => create(collection, object)),
        mergePatch: async (_, ref, patch) => guarded(client, () => update(collection, ref.name, patch)),
      };
      return client;
    },
  };
}

function create(collection: FakeCollection, object: KubeObject): KubeObject {
  return collection.objects.has(object.metadata.name) ? raise('AlreadyExists') : collection.put(object);
}

function update(collection: FakeCollection, name: string, patch: Record<string, unknown>): KubeObject {
  const existing = collection.objects.get(name) ?? raise('NotFound');
  const wanted = isRecord(patch.metadata) ? patch.metadata.resourceVersion : undefined;
  const merged = mergePatch(existing, patch);
  return wanted === existing.metadata.resourceVersion && isKubeObject(merged)
    ? collection.put(merged)
    : raise('Conflict');
}

function guarded(client: LeaseClient, work: () => KubeObject): KubeObject {
  if (client.broken === undefined) {
    return work();
  }
  if (client.commitsWhenBroken) {
    work();
  }
  return raise(client.broken);
}

function raise(reason: KubeErrorReason): never {
  throw new KubeError(reason, ATTEMPT, 'on purpose');
}
