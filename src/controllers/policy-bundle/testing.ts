/** One PolicyBundle in a world of its own: a cache that is held, ConfigMaps as an API server would have them, and a clock. */
import type { PolicyBundleStatus } from '../../api/policy-bundle.ts';
import type { Client } from '../../kube/client.ts';
import { KubeError, type KubeErrorReason, type Verb } from '../../kube/errors.ts';
import { createFakeClock } from '../../kube/testing/fake-clock.ts';
import type { KubeObject, ObjectRef } from '../../kube/types.ts';
import { cacheOf, type Held } from '../testing-cache.ts';
import { createBundleMemories, type PolicyBundleContext, reconcilePolicyBundle } from './reconcile.ts';

export const NAMESPACE = 'team-a';
export const RECHECK_MS = 300_000;
const API = 'agentplane.dev/v1alpha1';

export const SPEC = {
  profileRef: { name: 'research' },
  source: { inline: { rules: [{ id: 'read', effect: 'Allow', server: 'github', tools: ['get_issue'] }] } },
};

export function bundleObject(parts: Readonly<Record<string, unknown>> = {}, name = 'b'): KubeObject {
  const metadata = {
    name,
    namespace: NAMESPACE,
    uid: `uid-${name}`,
    generation: 1,
    creationTimestamp: '2030-01-01T00:00:00Z',
  };
  return { apiVersion: API, kind: 'PolicyBundle', metadata, spec: { ...SPEC, ...parts } };
}

const profile: KubeObject = {
  apiVersion: API,
  kind: 'RuntimeProfile',
  metadata: { name: 'research', namespace: NAMESPACE, uid: 'uid-research', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { serviceAccountName: 'research-agent' },
};

export function podUsing(bundles: readonly string[], name = 'agent', phase = 'Running'): KubeObject {
  const metadata = { name, namespace: NAMESPACE, uid: `uid-${name}` };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { serviceAccountName: 'a', bundles }, status: { phase } };
}

export const IN_FORCE = {
  Accepted: 'True/Accepted',
  Supported: 'True/Supported',
  DependenciesResolved: 'True/Resolved',
  Compiled: 'True/Compiled',
  Applied: 'True/Applied',
  Enforced: 'Unknown/NotProbed',
  Ready: 'True/Ready',
};

/** A source of its own for each list of tools. */
export function inlineRules(tools: readonly string[]) {
  return { source: { inline: { rules: [{ id: 'read', effect: 'Allow', server: 'github', tools }] } } };
}

/** The world once its bundle is in force; what it costs is counted from then on. @throws Error when it is not */
export async function inForce(world: World = createWorld()): Promise<World & { readonly name: string }> {
  await world.reconcile();
  const { configMap } = world.status().output ?? {};
  if (configMap === undefined || world.summary().Ready !== IN_FORCE.Ready)
    throw new Error(JSON.stringify(world.status()));
  world.server.calls.length = 0;
  world.state.writes = 0;
  return { ...world, name: configMap };
}

/** Past the next look at what is not watched. */
export async function later({ clock }: World): Promise<void> {
  await clock.advance(RECHECK_MS);
}

export type World = ReturnType<typeof createWorld>;

export function createWorld(bundle: KubeObject = bundleObject(), held: Held = {}) {
  const cache = cacheOf(NAMESPACE, { profiles: [profile], bundles: [bundle], ...held });
  const clock = createFakeClock();
  const server = createServer();
  const health = { connected: false, absent: false, forbidden: false, synced: true };
  for (const informer of [cache.bundles, cache.profiles]) Object.assign(informer, { health: () => health });
  const events: string[] = [];
  const blind = new Set<unknown>();
  const state = { writes: 0, restored: 0 };
  const client: Partial<Client> = {
    ...server.client,
    apply: (_, { metadata, status }) => {
      state.writes += 1;
      return Promise.resolve({ ...(cache.bundles.get(metadata.name) ?? bundle), status });
    },
  };
  const createContext = (): PolicyBundleContext => ({
    client: client as Client,
    cacheOf: () => cache,
    isCurrent: (informer) => !blind.has(informer),
    clock,
    bundles: createBundleMemories({ clock, random: () => 0.5, timing: { retryMs: 15_000, recheckMs: RECHECK_MS } }),
    announce: (_, type, { reason }) => void events.push(`${type} ${reason}`),
    onDrift: () => {
      state.restored += 1;
    },
  });
  let context = createContext();
  const memories = () => context.bundles;
  const name = bundle.metadata.name;
  const status = () => (cache.bundles.get(name)?.status ?? {}) as PolicyBundleStatus;
  return {
    cache,
    clock,
    server,
    events,
    state,
    blind,
    status,
    reconcile: (of = name) =>
      reconcilePolicyBundle({ namespace: NAMESPACE, name: of }, new AbortController().signal, context),
    /** As a process that has just started. */
    memories,
    restart: () => {
      context = createContext();
    },
    /** A new spec, as the API server counts it. */
    change: (parts: Readonly<Record<string, unknown>>) => {
      const live = cache.bundles.get(name) ?? bundle;
      const generation = (live.metadata.generation ?? 0) + 1;
      const spec = { ...(live.spec as object), ...parts };
      cache.bundles.change(name, { ...live, metadata: { ...live.metadata, generation }, spec });
    },
    summary: () =>
      Object.fromEntries((status().conditions ?? []).map((each) => [each.type, `${each.status}/${each.reason}`])),
    message: (type: string) => status().conditions?.find((each) => each.type === type)?.message ?? '',
  };
}

function createServer() {
  const objects = new Map<string, KubeObject>();
  const calls: string[] = [];
  const faults = new Map<Verb, KubeErrorReason>();
  let count = 0;
  const fail = (verb: Verb, reason: KubeErrorReason): never => {
    throw new KubeError(reason, { verb, resource: 'configmaps' }, 'on purpose');
  };
  const call = (verb: Verb, { name }: ObjectRef): void => {
    calls.push(`${verb} ${name}`);
    const reason = faults.get(verb);
    if (reason !== undefined) fail(verb, reason);
  };
  let mutate = (object: KubeObject): KubeObject => object;
  const put = (object: KubeObject): KubeObject => {
    count += 1;
    const metadata = { uid: `uid-cm-${count}`, resourceVersion: String(count), ...object.metadata };
    objects.set(metadata.name, { ...object, metadata });
    return objects.get(metadata.name) ?? object;
  };
  const client: Pick<Client, 'get' | 'create' | 'delete'> = {
    get: async (_, ref) => {
      call('get', ref);
      return objects.get(ref.name) ?? fail('get', 'NotFound');
    },
    create: async (_, object) => {
      call('create', object.metadata);
      return objects.has(object.metadata.name) ? fail('create', 'AlreadyExists') : put(mutate(object));
    },
    delete: async (_, ref, { uid }) => {
      call('delete', ref);
      const live = objects.get(ref.name) ?? fail('delete', 'NotFound');
      if (live.metadata.uid !== uid) fail('delete', 'Conflict');
      objects.delete(ref.name);
      return { removed: true };
    },
  };
  /** As a webhook would, before anything is stored. */
  const mutateBy = (by: (object: KubeObject) => KubeObject): void => {
    mutate = by;
  };
  return { client, objects, calls, faults, put, mutateBy };
}
