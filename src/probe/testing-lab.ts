/** A stand-in for the namespace of the canaries: no kubelet runs there, so that statuses are staged as one would report them. */

import type { Client } from '../kube/client.ts';
import { KubeError, type KubeErrorReason } from '../kube/errors.ts';
import { createFakeClock, type FakeClock } from '../kube/testing/fake-clock.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import { encodeObservation, type Outcome } from './observation.ts';
import type { RunSettings } from './run.ts';
import { CANARY_LABEL } from './subjects.ts';
import { settingsWith } from './testing.ts';

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
  readonly staged: {
    refuse?: (object: KubeObject) => KubeErrorReason | undefined;
    /** A target that never becomes ready. */
    notReady?: boolean;
    /** Whether what is to be denied is. */
    enforces?: boolean;
    firstMs?: number;
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
      const stored = { ...object, metadata: { ...object.metadata, uid: `uid-${uids}` } };
      lab.objects.set(id, stored);
      return stored;
    },
    list: async () => {
      const pods = [...lab.objects.values()].filter(({ kind }) => kind === 'Pod');
      return { items: pods.map((pod) => ({ ...pod, ...kubelet(pod, lab) })), resourceVersion: '1' };
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

interface Body {
  readonly containers: readonly { readonly args: readonly string[] }[];
}

/** The status that the pod would have: targets are ready, canaries have ended. */
function kubelet(
  pod: KubeObject,
  { staged }: Pick<FakeLab, 'staged'>,
): { readonly spec: object; readonly status: object } {
  const spec = { ...(pod.spec as object), nodeName: 'node-1' };
  if ((pod.status as { phase?: string } | undefined)?.phase !== undefined)
    return { spec, status: pod.status as object };
  const subject = pod.metadata.labels?.[CANARY_LABEL];
  if (subject === 'target' || subject === 'other') {
    const ready = staged.notReady ? 'False' : 'True';
    const podIPs = [{ ip: subject === 'target' ? '10.0.0.1' : '10.0.0.2' }];
    return { spec, status: { phase: 'Running', podIPs, conditions: [{ type: 'Ready', status: ready }] } };
  }
  const { args } = (pod.spec as Body).containers[0] ?? { args: [] };
  const attempts = args.filter((_, index) => args[index - 1] === '--try');
  const seen = attempts.map((text) => ({
    outcome: outcomeOf(subject, text, staged),
    atMs: 60,
    tries: 2,
    addresses: addressOf(text),
  }));
  const message = encodeObservation({ firstMs: staged.firstMs ?? 40, families: ['IPv4'], seen });
  return { spec, status: { phase: 'Succeeded', containerStatuses: [{ state: { terminated: { message } } }] } };
}

/** What each canary may reach, told apart from what it may not. */
const OPEN: Readonly<Record<string, RegExp>> = {
  control: /./,
  workloads: /:8080#target/,
  'ports-range': /:808[24]#target/,
  cidr: /203\.0\.113\.10/,
  'cidr-except': /203\.0\.113\.10/,
  'dns-resolver': /^resolve:/,
  'dns-filter': /api\.example\.com/,
  'domain-exact': /api\.example\.com/,
  'domain-one-label': /\/a\.cdn/,
  'domain-any-depth': /cdn/,
  'kube-api-server': /KUBERNETES/,
  'family-ipv4': /:8080#target/,
};

function outcomeOf(subject: string | undefined, text: string, { enforces = true }: FakeLab['staged']): Outcome {
  if (enforces && !OPEN[subject ?? '']?.test(text)) return 'silent';
  return /#|^resolve:|^dns:/.test(text) ? 'answered' : 'connected';
}

function addressOf(text: string): readonly string[] {
  return text.startsWith('name:') ? [`192.0.2.${text.length}`] : [];
}
