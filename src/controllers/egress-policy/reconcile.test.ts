/** Drift whose restoration fails, or is put off: what then is written, said to be in force, and done at the next look. */
import { describe, expect, it } from 'vitest';
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import type { EgressPolicyStatus } from '../../api/egress-policy.ts';
import { factsFor } from '../../compile/testing.ts';
import type { Client } from '../../kube/client.ts';
import { KubeError, type KubeErrorReason } from '../../kube/errors.ts';
import { createFakeClock } from '../../kube/testing/fake-clock.ts';
import { type KubeObject, resourceName } from '../../kube/types.ts';
import { createDecisions } from '../decisions.ts';
import { exclusivity } from '../exclusive.ts';
import { CILIUM_NETWORK_POLICIES } from '../resources.ts';
import { cacheOf } from '../testing-cache.ts';
import { createFights } from './fights.ts';
import type { DriftOutcome } from './publish.ts';
import { type EgressPolicyContext, reconcileEgressPolicy } from './reconcile.ts';
import { createRejections } from './rejections.ts';

const namespace = 'team-a';
const API = 'agentplane.dev/v1alpha1';
const spec = {
  profileRef: { name: 'research' },
  allow: [{ name: 'corp', to: [{ cidr: { block: '203.0.113.0/24' } }], ports: [{ port: 443 }] }],
};
const policy: KubeObject = {
  apiVersion: API,
  kind: 'EgressPolicy',
  metadata: { name: 'p', namespace, uid: 'uid-p', generation: 1 },
  spec,
};
const profile: KubeObject = {
  apiVersion: API,
  kind: 'RuntimeProfile',
  metadata: { name: 'research', namespace, uid: 'uid-research', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { serviceAccountName: 'research-agent' },
};
const floor: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'agentplane-floor', namespace, uid: 'uid-floor' },
  spec: { podSelector: {}, policyTypes: ['Egress'] },
};

/** An object that its finalizer holds. */
const STUCK = 'stuck';

function report(): CapabilityReportStatus {
  const { provider, capabilityHash, capabilities, dns } = factsFor('cilium');
  return {
    observedAt: '2030-01-01T00:00:00Z',
    provider,
    capabilityHash,
    capabilities: [...capabilities].map(([name, { state, reason }]) => ({ name, state, reason })),
    ...(dns === undefined ? {} : { dns: { namespace: dns.namespace, podLabels: { ...dns.podLabels } } }),
  };
}

/** A policy that is in force; `calls` is what is written to its output from then on. */
async function inForce() {
  const cache = cacheOf(namespace, { policies: [policy], profiles: [profile], networkPolicies: [floor] });
  const clock = createFakeClock();
  const calls: string[] = [];
  const restored: DriftOutcome[] = [];
  const fault: { reason?: KubeErrorReason } = {};
  const write = (call: string, stored: KubeObject): Promise<KubeObject> => {
    calls.push(call);
    const { reason } = fault;
    const resource = resourceName(CILIUM_NETWORK_POLICIES);
    if (reason !== undefined) return Promise.reject(new KubeError(reason, { verb: 'patch', resource }, 'no'));
    return Promise.resolve(stored);
  };
  const withUid = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { uid: `uid-${calls.length}`, ...object.metadata },
  });
  // As the server does: an apply does not take a deletion back.
  const whole = (object: KubeObject): KubeObject => {
    const { deletionTimestamp, finalizers } = cache.ciliumPolicies.get(object.metadata.name)?.metadata ?? {};
    const going = deletionTimestamp === undefined ? {} : { deletionTimestamp, finalizers: finalizers ?? [] };
    return { ...object, metadata: { ...object.metadata, ...going } };
  };
  const client: Partial<Client> = {
    create: (_, object) => write('create', withUid(object)),
    apply: (_, object, { subresource, force }) =>
      subresource === 'status'
        ? Promise.resolve({ ...policy, status: object.status })
        : write(`apply force=${force}`, whole(object)),
    delete: (_, { name }) => {
      calls.push('delete');
      if (name === STUCK) return Promise.resolve({ removed: false });
      cache.ciliumPolicies.change(name, undefined);
      return Promise.resolve({ removed: true });
    },
  };
  const decisions = createDecisions();
  const context = {
    client: client as Client,
    cacheOf: () => cache,
    report,
    isFresh: () => true,
    isCurrent: () => true,
    limits: { allowAnyDestination: false, clusterDomain: 'cluster.local' },
    clock,
    rejections: createRejections(clock),
    fights: createFights(clock),
    decisions,
    exclusive: (_: unknown, subject: { profile: string; serviceAccountName: string }) =>
      exclusivity(subject, { cache, decisions, world: { provider: 'cilium' } }),
    announce: () => undefined,
    onDrift: (outcome: DriftOutcome) => restored.push(outcome),
  };
  const look = (part: Partial<EgressPolicyContext> = {}) =>
    reconcileEgressPolicy({ namespace, name: 'p' }, new AbortController().signal, { ...context, ...part });
  const status = () => cache.policies.get('p')?.status as EgressPolicyStatus;
  const ready = () => status().conditions?.find(({ type }) => type === 'Ready')?.reason;
  await look();
  expect(ready()).toBe('Ready');
  calls.length = 0;
  const output = () => cache.ciliumPolicies.list()[0];
  const widen = () => {
    const live = output();
    if (live === undefined) return;
    const managedFields = [{ manager: 'intruder', fieldsV1: { 'f:spec': { 'f:egress': {} } } }];
    const metadata = { ...live.metadata, managedFields };
    const changed = { ...live, metadata, spec: { ...(live.spec as object), egress: [{ toEntities: ['world'] }] } };
    cache.ciliumPolicies.change(live.metadata.name, changed);
  };
  const reason = (type: string) => status().conditions?.find((condition) => condition.type === type)?.reason;
  return { cache, context, reason, restored, clock, calls, fault, look, status, ready, output, widen };
}

describe('a restoration', () => {
  it('is shown for five minutes, also by an operator that has forgotten it', async () => {
    const world = await inForce();
    world.widen();
    await world.look();
    world.clock.freeze(60_000);
    const shown = () => world.status().conditions?.find(({ type }) => type === 'Degraded')?.reason;
    for (const fights of [world.context.fights, createFights(world.clock)]) {
      expect(await world.look({ fights })).toEqual({ requeueAfterMs: 4 * 60_000 + 100 });
      expect(shown()).toBe('DriftRestored');
    }
    world.clock.freeze(4 * 60_000);
    expect(await world.look()).toEqual({});
    expect(shown()).toBeUndefined();
  });
});

describe('a restoration that fails', () => {
  it('for a moment is tried again by force: what was applied is remembered, and not said to be in force', async () => {
    const world = await inForce();
    const applied = world.status().inForce;
    world.widen();
    world.fault.reason = 'Timeout';
    await expect(world.look()).rejects.toThrow('no');
    expect(world.ready()).toBe('ApplyPending');
    expect(world.status()).toMatchObject({ lastApplied: applied });
    expect(world.status().inForce).toBeUndefined();
    delete world.fault.reason;
    await world.look();
    expect(world.calls).toEqual(['apply force=true', 'apply force=true']);
    expect(world.ready()).toBe('Ready');
    expect(world.status().inForce).toEqual(applied);
    expect(world.status().lastApplied).toBeUndefined();
  });

  it.each(['Forbidden', 'RejectedByAdmission'] as const)('for good (%s) does not stay open', async (reason) => {
    const world = await inForce();
    world.widen();
    world.fault.reason = reason;
    await expect(world.look()).rejects.toThrow('no');
    expect(world.calls).toEqual(['apply force=true', 'delete']);
    expect(world.output()).toBeUndefined();
    expect(world.ready()).toBe(reason);
  });
});

describe('an output that somebody holds by a finalizer', () => {
  const going = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['example.com/hold'] };

  it('is narrowed while it goes, counts as a widening until then, and is created again', async () => {
    const world = await inForce();
    world.widen();
    const live = world.output();
    if (live === undefined) throw new Error('there is no output');
    world.cache.ciliumPolicies.change(live.metadata.name, { ...live, metadata: { ...live.metadata, ...going } });
    const { cache } = world;
    const { decisions } = world.context;
    const subject = { profile: 'research', serviceAccountName: 'research-agent' };
    const exclusive = () => exclusivity(subject, { cache, decisions, world: { provider: 'cilium' } });
    expect(exclusive()).toMatchObject({ status: 'False', message: expect.stringContaining(live.metadata.name) });
    await world.look();
    expect(world.calls).toEqual(['apply force=true']);
    expect(world.ready()).toBe('ApplyPending');
    expect(exclusive().status).toBe('True');
    world.cache.ciliumPolicies.change(live.metadata.name, undefined);
    await world.look();
    expect(world.calls).toEqual(['apply force=true', 'create']);
    expect(world.ready()).toBe('Ready');
  });

  it('and that is superseded does not keep restorations of the other one from being counted and told', async () => {
    const world = await inForce();
    const output = world.output();
    if (output === undefined) throw new Error('there is no output');
    const old = { ...output, metadata: { ...output.metadata, name: STUCK, uid: 'uid-stuck', ...going } };
    world.cache.ciliumPolicies.change(STUCK, old);
    for (let round = 0; round < 10; round += 1) {
      world.widen();
      await world.look();
      await world.clock.advance(500);
    }
    expect(world.calls.filter((call) => call.startsWith('apply'))).toHaveLength(2);
    expect(world.restored).toEqual(['restored', 'restored', 'contested']);
    expect(world.ready()).toBe('ContestedField');
  });
});

describe('a policy of others that names ours as its owner', () => {
  it.each([
    ['another group', { apiVersion: 'nobody.example/v1' }],
    ['another name', { name: 'nope' }],
    ['nothing amiss', {}],
  ])('with %s is a widening, unless it is removed as one of ours', async (_, part) => {
    const world = await inForce();
    const reference = { apiVersion: API, kind: 'EgressPolicy', name: 'p', uid: 'uid-p', controller: true, ...part };
    const labels = { 'app.kubernetes.io/managed-by': 'agentplane' };
    const theirs = {
      ...floor,
      metadata: { name: STUCK, namespace, uid: 'uid-theirs', labels, ownerReferences: [reference] },
      spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
    };
    world.cache.networkPolicies.change(STUCK, theirs);
    await world.look();
    expect(world.reason('Exclusive')).toBe('WidenedByOtherPolicy');
    expect(world.calls).toEqual(Object.keys(part).length === 0 ? ['delete'] : []);
  });
});

describe('a fight', () => {
  it('ends with the object gone, and one attempt after five minutes', async () => {
    const world = await inForce();
    for (let round = 0; round < 3; round += 1) {
      world.widen();
      await world.look();
    }
    expect(world.calls).toEqual(['apply force=true', 'apply force=true', 'delete']);
    expect(world.ready()).toBe('ContestedField');
    expect(await world.look()).toEqual({ requeueAfterMs: 5 * 60_000 + 100 });
    expect(world.calls).toHaveLength(3);
    world.clock.freeze(5 * 60_000);
    await world.look();
    expect(world.calls.slice(3)).toEqual(['create']);
    expect(world.ready()).toBe('Ready');
    // Still there: contested again at once, for twice as long.
    world.widen();
    expect(await world.look()).toEqual({ requeueAfterMs: 10 * 60_000 + 100 });
    expect(world.calls.slice(3)).toEqual(['create', 'delete']);
  });
});
