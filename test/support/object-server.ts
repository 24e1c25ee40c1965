/** Keeps objects as an API server does, notes the generated ones after each write, and can lose the answer to a write. */
import type { Client } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import type { KubeObject, Resource } from '../../src/kube/types.ts';

/** The write whose answer is lost, counted from 0: before it reaches the server, or after. */
export interface Fault {
  readonly write: number;
  readonly stored: boolean;
}

export interface ObjectServer {
  readonly client: Client;
  list(kind: string): readonly KubeObject[];
  put(object: KubeObject): void;
  /** Forgets the moments so far, and counts writes anew. */
  begin(fault: Fault | undefined): void;
  /** The generated objects as they were at first, and after each write to one. */
  moments(): readonly (readonly KubeObject[])[];
}

const MANAGED = [{ manager: 'agentplane-operator', operation: 'Update', fieldsV1: { 'f:spec': {} } }] as const;

export function objectServer(): ObjectServer {
  const objects = new Map<string, KubeObject>();
  let moments: (readonly KubeObject[])[] = [];
  let lost: Fault | undefined;
  let writes = 0;
  let version = 0;
  const keyOf = (kind: string, name: string) => `${kind}/${name}`;
  const outputs = () => [...objects.values()].filter(({ kind }) => kind !== 'EgressPolicy');
  const write = <T>({ kind, plural }: Resource, verb: 'create' | 'patch' | 'delete', commit: () => T): Promise<T> => {
    const fault = writes === lost?.write ? lost : undefined;
    writes += 1;
    try {
      const result = fault?.stored === false ? undefined : { value: commit() };
      if (kind !== 'EgressPolicy') moments.push(outputs());
      if (fault === undefined && result !== undefined) return Promise.resolve(result.value);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    return Promise.reject(new KubeError('Timeout', { verb, resource: plural }, 'no answer', { outcomeUnknown: true }));
  };
  const stored = (object: KubeObject, uid: string): KubeObject => {
    version += 1;
    const metadata = { ...object.metadata, uid, resourceVersion: String(version), managedFields: MANAGED };
    const whole = { ...object, metadata };
    objects.set(keyOf(object.kind, object.metadata.name), whole);
    return whole;
  };
  const found = ({ kind, plural }: Resource, verb: 'get' | 'patch' | 'delete', name: string): KubeObject => {
    const object = objects.get(keyOf(kind, name));
    if (object === undefined) throw new KubeError('NotFound', { verb, resource: plural, name }, 'not found');
    return object;
  };
  const client: Pick<Client, 'get' | 'create' | 'apply' | 'delete'> = {
    get: (resource, { name }) => Promise.resolve().then(() => found(resource, 'get', name)),
    create: (resource, object) =>
      write(resource, 'create', () => {
        const { name } = object.metadata;
        if (!objects.has(keyOf(object.kind, name))) return stored(object, `uid-${version}`);
        throw new KubeError('AlreadyExists', { verb: 'create', resource: resource.plural, name }, 'exists');
      }),
    apply: (resource, object, { subresource }) =>
      write(resource, 'patch', () => {
        const live = found(resource, 'patch', object.metadata.name);
        const { uid = '' } = live.metadata;
        return subresource === 'status' ? stored({ ...live, status: object.status }, uid) : stored(object, uid);
      }),
    delete: (resource, { name }) =>
      write(resource, 'delete', () => ({ removed: objects.delete(keyOf(found(resource, 'delete', name).kind, name)) })),
  };
  return {
    client: client as Client,
    list: (kind) => [...objects.values()].filter((object) => object.kind === kind),
    put: (object) => objects.set(keyOf(object.kind, object.metadata.name), object),
    begin: (fault) => {
      moments = [outputs()];
      lost = fault;
      writes = 0;
    },
    moments: () => moments,
  };
}
