/** The finalizer over an API server that is stood in for: when it is put on and taken off, and what is told meanwhile. */
import { describe, expect, it } from 'vitest';
import { PROFILE_LABEL, WORKLOADS_FINALIZER } from '../../api/meta.ts';
import type { RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import type { Client } from '../../kube/client.ts';
import { KubeError, type KubeErrorReason } from '../../kube/errors.ts';
import { createFakeClock } from '../../kube/testing/fake-clock.ts';
import type { KubeObject } from '../../kube/types.ts';
import { cacheOf } from '../testing-cache.ts';
import { type RuntimeProfileContext, reconcileRuntimeProfile } from './reconcile.ts';
import { namespace, podOf, policyOf, profileOf } from './testing.ts';

const key = { namespace, name: 'research' };
const claimOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, uid: `uid-${name}`, labels: { [PROFILE_LABEL]: 'research' } },
});

interface Fault {
  /** Such as `hold`, `release` or `list pods`. */
  readonly call: string;
  readonly reason: KubeErrorReason;
}

function world(profile: KubeObject = profileOf(), { holdsProfiles = true } = {}) {
  const cache = cacheOf(namespace, { profiles: [profile], policies: [policyOf('p')] });
  const clock = createFakeClock();
  const calls: string[] = [];
  /** What the API server has, where the caches are behind. */
  const unseen: { pods: KubeObject[]; claims: KubeObject[] } = { pods: [], claims: [] };
  const state: { fault?: Fault; coOwned: boolean } = { coOwned: false };
  const call = (name: string): void => {
    calls.push(name);
    if (state.fault?.call === name)
      throw new KubeError(state.fault.reason, { verb: 'patch', resource: 'x' }, 'on purpose');
  };
  const live = (): KubeObject => cache.profiles.get('research') ?? profile;
  const withFinalizers = (finalizers: readonly string[]): KubeObject => ({
    ...live(),
    metadata: { ...live().metadata, finalizers },
  });
  const client: Partial<Client> = {
    apply: async (_, object, { subresource, fieldManager, force }) => {
      if (subresource === 'status') {
        call('status');
        return { ...live(), status: object.status };
      }
      const { finalizers = [], uid } = object.metadata;
      call(finalizers.length > 0 ? 'hold' : 'release');
      expect({ fieldManager, force, uid, fields: Object.keys(object) }).toEqual({
        fieldManager: 'agentplane-finalizer',
        force: false,
        uid: 'uid-research',
        fields: ['apiVersion', 'kind', 'metadata'],
      });
      const others = (live().metadata.finalizers ?? []).filter((name) => name !== WORKLOADS_FINALIZER || state.coOwned);
      return withFinalizers([...others, ...finalizers]);
    },
    mergePatch: async (_, __, { metadata }) => {
      call('merge');
      return withFinalizers((metadata as { readonly finalizers: readonly string[] }).finalizers);
    },
    list: async ({ plural }, { fieldSelector, labelSelector }) => {
      call(`list ${plural}`);
      expect(fieldSelector ?? labelSelector).toBe(
        plural === 'pods' ? 'spec.serviceAccountName=research-agent' : `${PROFILE_LABEL}=research`,
      );
      const items =
        plural === 'pods' ? [...cache.pods.list(), ...unseen.pods] : [...cache.claims.list(), ...unseen.claims];
      return { items, resourceVersion: '1' };
    },
  };
  const context: RuntimeProfileContext = {
    client: client as Client,
    cacheOf: () => cache,
    report: () => undefined,
    isFresh: () => true,
    isCurrent: () => true,
    holdsProfiles,
    clock,
    announce: () => undefined,
  };
  const reconcile = () => reconcileRuntimeProfile(key, new AbortController().signal, context);
  const deleteIt = (finalizers: readonly string[]) => {
    const deletionTimestamp = clock.now().toISOString();
    const metadata = { ...live().metadata, generation: 2, deletionTimestamp, finalizers };
    cache.profiles.change('research', { ...live(), metadata });
    calls.length = 0;
  };
  return {
    cache,
    clock,
    calls,
    state,
    unseen,
    reconcile,
    live,
    status: () => live().status as RuntimeProfileStatus,
    deleteIt: (finalizers: readonly string[] = [WORKLOADS_FINALIZER]) => deleteIt(finalizers),
  };
}

const conditionOf = ({ conditions = [] }: RuntimeProfileStatus, type: string) => {
  const { status, reason, message } = conditions.find((condition) => condition.type === type) ?? {};
  return { status, reason, message };
};

describe('the finalizer is put on', () => {
  it('before pods are admitted, once', async () => {
    const { reconcile, calls, live, status } = world();
    await reconcile();
    expect(calls).toEqual(['hold', 'status']);
    expect(live().metadata.finalizers).toEqual([WORKLOADS_FINALIZER]);
    expect(status().admission?.open).toBe(true);
    await reconcile();
    expect(calls).toHaveLength(2);
  });

  it('not while the profile is closed, and not where no admission policies hold', async () => {
    const closed = world();
    closed.cache.policies.change('p', undefined);
    await closed.reconcile();
    expect(closed.calls).toEqual(['status']);
    const unheld = world(profileOf(), { holdsProfiles: false });
    await unheld.reconcile();
    expect(unheld.calls).toEqual(['status']);
    expect(unheld.status().admission?.open).toBe(true);
  });

  it('or else the profile stays closed, and says why; and it is tried again', async () => {
    const { reconcile, calls, state, status } = world();
    state.fault = { call: 'hold', reason: 'Forbidden' };
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(status().admission).toMatchObject({ open: false, message: expect.stringContaining('on purpose') });
    expect(conditionOf(status(), 'Ready')).toMatchObject({ status: 'False', reason: 'Forbidden' });
    delete state.fault;
    await reconcile();
    expect(calls).toEqual(['hold', 'status', 'hold', 'status']);
    expect(status().admission?.open).toBe(true);
    expect(conditionOf(status(), 'Applied').status).toBeUndefined();
  });
});

describe('a profile that is deleted', () => {
  it('goes at once when nothing is left, as the API server itself says', async () => {
    const { reconcile, calls, deleteIt, cache } = world();
    deleteIt();
    expect(await reconcile()).toEqual({});
    expect(calls).toEqual(['list pods', 'list persistentvolumeclaims', 'release']);
    expect(cache.profiles.get('research')).toBeUndefined();
  });

  it('is closed, waits for pods and volumes, lists them, and goes with the last of them', async () => {
    const { reconcile, cache, calls, deleteIt, status } = world();
    cache.pods.change('a', podOf('a'));
    cache.claims.change('data', claimOf('data'));
    await reconcile();
    deleteIt();
    expect(await reconcile()).toEqual({ requeueAfterMs: 600_100 });
    expect(status().admission).toMatchObject({
      generation: 2,
      open: false,
      message: expect.stringContaining('is being deleted'),
    });
    expect(status().workloads?.remaining).toEqual([
      { kind: 'Pod', name: 'a' },
      { kind: 'PersistentVolumeClaim', name: 'data' },
    ]);
    expect(conditionOf(status(), 'Ready')).toMatchObject({ status: 'False', reason: 'Deleting' });
    expect(conditionOf(status(), 'Degraded').status).toBeUndefined();
    cache.pods.change('a', podOf('a', { phase: 'Succeeded' }));
    await reconcile();
    expect(status().workloads?.remaining).toEqual([{ kind: 'PersistentVolumeClaim', name: 'data' }]);
    cache.claims.change('data', undefined);
    await reconcile();
    expect(calls).toEqual(['status', 'status', 'list pods', 'list persistentvolumeclaims', 'release']);
  });

  it('asks for help past its timeout, and is not let go by it', async () => {
    const { reconcile, cache, clock, calls, deleteIt, status } = world();
    cache.pods.change('a', podOf('a'));
    deleteIt();
    const { requeueAfterMs = 0 } = await reconcile();
    await clock.advance(requeueAfterMs);
    expect(await reconcile()).toEqual({});
    expect(conditionOf(status(), 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'CleanupRequiresOperatorAction',
      message: expect.stringMatching(/600 seconds.*docs\/operations\/finalizers\.md/),
    });
    await clock.advance(24 * 3600_000);
    await reconcile();
    expect(calls).toEqual(['status', 'status']);
  });

  it.each([
    ['a pod', (unseen: { pods: KubeObject[] }) => unseen.pods.push(podOf('late'))],
    ['a volume', (unseen: { claims: KubeObject[] }) => unseen.claims.push(claimOf('late'))],
  ])('waits for %s that the cache has not heard of', async (_, add) => {
    const { reconcile, unseen, calls, deleteIt, status } = world();
    add(unseen);
    deleteIt();
    await reconcile();
    expect(calls).not.toContain('release');
    expect(status().workloads?.remaining).toMatchObject([{ name: 'late' }]);
  });

  it('does not wait for pods of others, or for those that have ended', async () => {
    const { reconcile, unseen, calls, deleteIt } = world();
    unseen.pods.push(podOf('theirs', { account: 'other' }), podOf('ended', { phase: 'Failed' }));
    deleteIt();
    await reconcile();
    expect(calls).toContain('release');
  });

  it.each(['release', 'list pods'])(
    'is told to be in the way when the API server refuses to %s, and tried again',
    async (call) => {
      const { reconcile, state, clock, deleteIt, status, calls } = world();
      deleteIt();
      state.fault = { call, reason: 'Forbidden' };
      await expect(reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
      expect(conditionOf(status(), 'Ready')).toMatchObject({
        reason: 'Deleting',
        message: expect.stringContaining('on purpose'),
      });
      expect(conditionOf(status(), 'Degraded').status).toBeUndefined();
      await clock.advance(600_000);
      await expect(reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
      expect(conditionOf(status(), 'Degraded').message).toContain('on purpose');
      delete state.fault;
      await reconcile();
      expect(calls.at(-1)).toBe('release');
    },
  );

  it('goes although somebody else owns our finalizer as well, and leaves those of others', async () => {
    const { reconcile, state, calls, deleteIt, live } = world();
    state.coOwned = true;
    deleteIt(['theirs', WORKLOADS_FINALIZER]);
    await reconcile();
    expect(calls.slice(2)).toEqual(['release', 'merge']);
    expect(live().metadata.finalizers).toEqual(['theirs']);
  });

  it('and held by others alone is closed and otherwise left to them', async () => {
    const { reconcile, calls, deleteIt, status } = world();
    deleteIt(['theirs']);
    await reconcile();
    expect(calls).toEqual(['status']);
    expect(status().admission?.open).toBe(false);
    expect(conditionOf(status(), 'Ready').reason).toBe('Deleting');
  });

  it('and held by us where we may not let it go says so', async () => {
    const { reconcile, calls, deleteIt, status } = world(profileOf(), { holdsProfiles: false });
    deleteIt();
    await reconcile();
    expect(calls).toEqual(['status']);
    expect(conditionOf(status(), 'Degraded')).toMatchObject({
      reason: 'CleanupRequiresOperatorAction',
      message: expect.stringContaining('admission.enabled'),
    });
  });
});
