/** A stand-in for the namespace of the canaries: no kubelet runs there, so that statuses are staged as one would report them. */

import type { Client } from '../kube/client.ts';
import { KubeError, type KubeErrorReason } from '../kube/errors.ts';
import { createFakeClock, type FakeClock } from '../kube/testing/fake-clock.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import type { RunSettings } from './run.ts';
import { settingsWith } from './testing.ts';
import { type StagedNetwork, stagedStatus } from './testing-kubelet.ts';

export const NAMESPACE = 'canaries';

export const runSettings: RunSettings = {
  ...settingsWith(),
  pods: {
    namespace: NAMESPACE,
    image: 'agentplane:test',
    pullPolicy: 'IfNotPresent',
    pullSecrets: [],
    nodeSelector: {},
  },
  patienceMs: 90_000,
};

export interface FakeLab {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'delete' | 'apply'>;
  readonly clock: FakeClock;
  /** `create Pod name` and `delete Pod name`, in order. */
  readonly calls: string[];
  readonly objects: Map<string, KubeObject>;
  /** The CapabilityReport. */
  readonly report: { current?: KubeObject };
  readonly applied: KubeObject[];
  /** What goes wrong, and how the network behaves. */
  readonly staged: StagedNetwork & {
    refuse?: (object: KubeObject) => KubeErrorReason | undefined;
    /** What the API server stores in place of what was sent. */
    mutate?: (object: KubeObject) => KubeObject;
  };
  /** Lets time pass until the promise is settled. */
  settle<T>(promise: Promise<T>): Promise<T>;
}

export function fakeLab(): FakeLab {
  const clock = createFakeClock();
  const lab: Omit<FakeLab, 'client' | 'settle'> = {
    clock,
    calls: [],
    objects: new Map(),
    report: {},
    applied: [],
    staged: {},
  };
  let uids = 0;
  const fail = (reason: KubeErrorReason, resource: Resource): never => {
    throw new KubeError(reason, { verb: 'create', resource: resource.plural }, 'staged');
  };
  const key = (kind: string, name: string) => `${kind} ${name}`;
  const client: FakeLab['client'] = {
    create: async (resource, object) => {
      const id = key(object.kind, object.metadata.name);
      const reason = lab.staged.refuse?.(object);
      if (reason !== undefined) return fail(reason, resource);
      if (lab.objects.has(id)) return fail('AlreadyExists', resource);
      lab.calls.push(`create ${id}`);
      uids += 1;
      const changed = lab.staged.mutate?.(object) ?? object;
      const stored = { ...changed, metadata: { ...object.metadata, uid: `uid-${uids}` } };
      lab.objects.set(id, stored);
      return stored;
    },
    list: async () => {
      const pods = [...lab.objects.values()].filter(({ kind }) => kind === 'Pod');
      return { items: pods.map((pod) => asReported(pod, lab.staged)), resourceVersion: '1' };
    },
    delete: async (resource, { name }, { uid }) => {
      const id = key(resource.kind, name);
      if (lab.objects.get(id)?.metadata.uid !== uid) return fail('NotFound', resource);
      lab.calls.push(`delete ${id}`);
      lab.objects.delete(id);
      return { removed: true };
    },
    get: async (resource) => lab.report.current ?? fail('NotFound', resource),
    apply: async (_, object) => {
      lab.applied.push(object);
      lab.report.current = merged(lab.report.current, object);
      return object;
    },
  };
  return {
    ...lab,
    client,
    async settle(promise) {
      let over = false;
      const end = () => {
        over = true;
      };
      promise.then(end, end);
      while (!over) await clock.advance(500);
      return promise;
    },
  };
}

/** The fields of another manager stay. */
function merged(current: KubeObject | undefined, object: KubeObject): KubeObject {
  return { ...object, status: { ...((current?.status ?? {}) as object), ...(object.status as object) } };
}

function asReported(pod: KubeObject, network: StagedNetwork): KubeObject {
  const spec = { ...(pod.spec as object), nodeName: 'node-1' };
  return { ...pod, spec, status: (pod.status as object | undefined) ?? stagedStatus(pod, network) };
}
