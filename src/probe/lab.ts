/** The namespace of the canaries, as a run uses it: creates what it owns, looks at its pods, and takes everything away again. */
import { canonicalJson } from '../compile/canonical.ts';
import { CILIUM_NETWORK_POLICIES, NETWORK_POLICIES, PODS } from '../controllers/resources.ts';
import type { Client } from '../kube/client.ts';
import { type Clock, pause } from '../kube/clock.ts';
import { isKubeError } from '../kube/errors.ts';
import type { Logger } from '../kube/logger.ts';
import type { KubeObject, OwnerReference, Resource } from '../kube/types.ts';
import type { PlannedObject } from './plan.ts';
import { hasEnded } from './pod-status.ts';
import { ANCHOR, CANARY_LABEL } from './subjects.ts';

export const PROBE_MANAGER = 'agentplane-probe';

const LOOK_MS = 500;
/** What an ended run has left is collected by then. */
const LEFTOVER_MS = 60_000;
const CLEAN_UP_MS = 15_000;

export interface LabParts {
  readonly client: Pick<Client, 'create' | 'list' | 'delete'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export interface Lab {
  /** The lock: waits for another run to end, and removes one that has left its anchor behind. Rejects when that takes too long. */
  begin(anchor: KubeObject, patienceMs: number): Promise<void>;
  /** Of the anchor. Everything else is to have it. */
  owners(): readonly OwnerReference[];
  createPod(pod: KubeObject): Promise<void>;
  /** Undefined when it is stored as it was sent; else why not. */
  createPolicy(policy: PlannedObject): Promise<string | undefined>;
  /** The pods by name, once `isDone` says so, or as they are when the time is over. */
  waitForPods(
    isDone: (pods: ReadonlyMap<string, KubeObject>) => boolean,
    timeoutMs: number,
  ): Promise<ReadonlyMap<string, KubeObject>>;
  /** Everything that was created, the anchor last. Never rejects. */
  clear(): Promise<void>;
}

interface Created {
  readonly resource: Resource;
  readonly object: KubeObject;
}

interface Bench extends LabParts {
  readonly namespace: string;
  /** The newest first. */
  readonly created: Created[];
}

export function createLab(namespace: string, parts: LabParts): Lab {
  const bench: Bench = { ...parts, namespace, created: [] };
  const owners = () => bench.created.slice(-1).map(({ object }) => ownerReference(object));
  return {
    begin: (anchor, patienceMs) => begin(bench, anchor, patienceMs),
    owners,
    createPod: async (pod) => void (await createWhenFree(bench, PODS, pod)),
    createPolicy: (policy) => createPolicy(bench, policy, owners()),
    async waitForPods(isDone, timeoutMs) {
      const untilMs = bench.clock.monotonicMs() + timeoutMs;
      for (;;) {
        const pods = await listPods(bench);
        if (isDone(pods) || bench.clock.monotonicMs() >= untilMs || bench.signal.aborted) return pods;
        await pause(bench.clock, LOOK_MS, bench.signal);
      }
    },
    async clear() {
      // Also when the process is to end: what is left opens nothing, but it is in the way.
      const late = AbortSignal.timeout(CLEAN_UP_MS);
      const anchor = bench.created.pop();
      await Promise.all(bench.created.map((item) => remove(bench, item, late)));
      if (anchor !== undefined) await remove(bench, anchor, late);
    },
  };
}

async function begin(bench: Bench, anchor: KubeObject, patienceMs: number): Promise<void> {
  await whenFree(bench, patienceMs, async () => {
    const left = (await listPods(bench)).get(ANCHOR);
    if (left !== undefined && hasEnded(left)) await remove(bench, { resource: PODS, object: left }, bench.signal);
    await create(bench, PODS, anchor);
  });
}

async function createPolicy(
  bench: Bench,
  { apiVersion, kind, name, spec }: PlannedObject,
  ownerReferences: readonly OwnerReference[],
): Promise<string | undefined> {
  const resource = kind === NETWORK_POLICIES.kind ? NETWORK_POLICIES : CILIUM_NETWORK_POLICIES;
  const object = { apiVersion, kind, metadata: { name, namespace: bench.namespace, ownerReferences }, spec };
  try {
    const stored = await createWhenFree(bench, resource, object);
    return canonicalJson(stored.spec) === canonicalJson(spec) ? undefined : 'the API server stores something else';
  } catch (error) {
    if (!isKubeError(error) || bench.signal.aborted) throw error;
    return error.message;
  }
}

function createWhenFree(bench: Bench, resource: Resource, object: KubeObject): Promise<KubeObject> {
  return whenFree(bench, LEFTOVER_MS, () => create(bench, resource, object));
}

async function create({ client, created, signal }: Bench, resource: Resource, object: KubeObject): Promise<KubeObject> {
  const stored = await client.create(resource, object, { fieldManager: PROBE_MANAGER, signal });
  created.unshift({ resource, object: stored });
  return stored;
}

/** Again and again while the name is taken: what is being collected still has it. */
async function whenFree<T>({ clock, signal }: Bench, patienceMs: number, attempt: () => Promise<T>): Promise<T> {
  const untilMs = clock.monotonicMs() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isKubeError(error, 'AlreadyExists') || clock.monotonicMs() >= untilMs || signal.aborted) throw error;
    }
    await pause(clock, LOOK_MS, signal);
  }
}

async function listPods({ client, namespace, signal }: Bench): Promise<ReadonlyMap<string, KubeObject>> {
  const { items } = await client.list(PODS, { namespace, labelSelector: CANARY_LABEL, signal });
  return new Map(items.map((pod) => [pod.metadata.name, pod]));
}

async function remove({ client, namespace, logger }: Bench, item: Created, signal: AbortSignal): Promise<void> {
  const { name, uid = '' } = item.object.metadata;
  try {
    await client.delete(item.resource, { namespace, name }, { uid }, { signal });
  } catch (error) {
    if (isKubeError(error, 'NotFound') || isKubeError(error, 'Conflict')) return;
    logger.warn({ name, message: error instanceof Error ? error.message : String(error) }, 'could not be removed');
  }
}

function ownerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: false,
    blockOwnerDeletion: false,
  };
}
