/** A binding over an API server that is stood in for: what is asked of it, what is written, and when it is looked at again. */
import { describe, expect, it } from 'vitest';
import type { SecretBindingStatus } from '../../api/secret-binding.ts';
import type { Client } from '../../kube/client.ts';
import { KubeError, type KubeErrorReason } from '../../kube/errors.ts';
import { createFakeClock } from '../../kube/testing/fake-clock.ts';
import type { KubeObject, ObjectMeta } from '../../kube/types.ts';
import { REFUSED_AFTER_MS } from '../currency.ts';
import { cacheOf } from '../testing-cache.ts';
import { createLooks } from './looks.ts';
import { reconcileSecretBinding } from './reconcile.ts';

const namespace = 'team-a';
const API = 'agentplane.dev/v1alpha1';
const TIMING = { retryMs: 15_000, recheckMs: 300_000 };
const profile: KubeObject = {
  apiVersion: API,
  kind: 'RuntimeProfile',
  metadata: { name: 'research', namespace, uid: 'uid-research', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { serviceAccountName: 'research-agent' },
};
const spec = {
  profileRef: { name: 'research' },
  secretRef: { name: 'model-key' },
  keys: ['token'],
  exposure: 'AgentReadable',
};
const bindingOf = (more: object = {}, name = 'b'): KubeObject => ({
  apiVersion: API,
  kind: 'SecretBinding',
  metadata: { name, namespace, uid: `uid-${name}`, generation: 1, creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { ...spec, ...more },
});
const present: Partial<ObjectMeta> = { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { 'f:token': {} } } }] };

type Answer = Partial<ObjectMeta> | KubeErrorReason;

function world(
  binding: KubeObject,
  others: { readonly profiles?: readonly KubeObject[]; readonly bindings?: readonly KubeObject[] } = {},
) {
  const cache = cacheOf(namespace, {
    profiles: others.profiles ?? [profile],
    bindings: [binding, ...(others.bindings ?? [])],
  });
  const clock = createFakeClock();
  const state: { answer: Answer; looks: number; writes: number } = { answer: present, looks: 0, writes: 0 };
  const events: string[] = [];
  const client: Partial<Client> = {
    getMetadata: async (resource, { name }) => {
      state.looks += 1;
      const attempt = { verb: 'get', resource: resource.plural, name } as const;
      if (typeof state.answer === 'string') throw new KubeError(state.answer, attempt, 'on purpose');
      return { name, ...state.answer };
    },
    apply: async (_, object) => {
      state.writes += 1;
      const live = cache.bindings.get(object.metadata.name);
      return { ...live, ...object, metadata: { ...live?.metadata, ...object.metadata }, spec: live?.spec };
    },
  };
  const context = {
    client: client as Client,
    cacheOf: () => cache,
    isCurrent: () => true,
    clock,
    looks: createLooks(client as Client, clock, TIMING),
    announce: (_: KubeObject, type: string, { reason }: { readonly reason: string }) =>
      events.push(`${type} ${reason}`),
  };
  const key = { namespace, name: binding.metadata.name };
  return {
    cache,
    clock,
    state,
    events,
    reconcile: () => reconcileSecretBinding(key, new AbortController().signal, context),
    status: () => (cache.bindings.get(key.name)?.status ?? {}) as SecretBindingStatus,
  };
}

function summary({ conditions = [] }: SecretBindingStatus): Record<string, string> {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status}/${reason}`]));
}

const RESOLVED = { Accepted: 'True/Accepted', DependenciesResolved: 'True/Resolved', Ready: 'True/Ready' };

describe('a binding whose Secret has its keys', () => {
  it('is Ready by one look and one write, and is looked at again in five minutes', async () => {
    const { reconcile, state, status, events } = world(bindingOf());
    expect(await reconcile()).toEqual({ requeueAfterMs: TIMING.recheckMs });
    expect(summary(status())).toEqual(RESOLVED);
    expect(status()).toMatchObject({
      observedGeneration: 1,
      secret: { observed: 'Present', checkedAt: '2030-01-01T00:00:00Z' },
    });
    expect(state).toMatchObject({ looks: 1, writes: 1 });
    expect(events).toEqual(['Normal Ready']);
  });

  it('costs no look before its time, whatever else happens, and no write after it', async () => {
    const { reconcile, state, clock } = world(bindingOf());
    await reconcile();
    await clock.advance(TIMING.recheckMs - 1);
    expect(await reconcile()).toEqual({ requeueAfterMs: 1 });
    expect(state.looks).toBe(1);
    await clock.advance(1);
    expect(await reconcile()).toEqual({ requeueAfterMs: TIMING.recheckMs });
    expect(state).toMatchObject({ looks: 2, writes: 1 });
  });

  it('is looked at at once when its spec has changed, and the finding has the time of that look', async () => {
    const { reconcile, cache, clock, state, status } = world(bindingOf());
    await reconcile();
    await clock.advance(60_000);
    const live = cache.bindings.get('b') ?? bindingOf();
    const changed = { ...spec, secretRef: { name: 'other' } };
    cache.bindings.change('b', { ...live, metadata: { ...live.metadata, generation: 2 }, spec: changed });
    await reconcile();
    expect(state.looks).toBe(2);
    expect(status()).toMatchObject({ observedGeneration: 2, secret: { checkedAt: '2030-01-01T00:01:00Z' } });
  });

  it('is Ready for a proxy as well', async () => {
    const { reconcile, status } = world(bindingOf({ exposure: 'ProxyOnly' }));
    await reconcile();
    expect(summary(status())).toEqual(RESOLVED);
  });
});

describe('a Secret that cannot be rested on', () => {
  const unreadable = 'Unknown/DependencyNotReadable';
  const missing = 'False/DependencyMissing';
  it.each([
    ['is not there', 'NotFound', 'Missing', missing, 'Secret model-key does not exist'],
    [
      'lacks the key',
      { managedFields: [{ manager: 'm', fieldsV1: { 'f:type': {} } }] },
      'KeyMissing',
      missing,
      'no key token',
    ],
    ['may not be read', 'Forbidden', 'NotReadable', unreadable, 'governedNamespaces[].secrets'],
    ['has nobody booked', {}, 'NotReadable', unreadable, 'no managedFields'],
    ['is refused in another way', 'Invalid', 'NotReadable', unreadable, 'on purpose'],
    ['is answered for by a stranger', 'Malformed', 'NotReadable', unreadable, 'on purpose'],
  ] as const)(
    'because it %s is told, and looked for again, less often each time',
    async (_, answer, observed, ...[dependencies, says]) => {
      const { reconcile, state, status, clock } = world(bindingOf());
      state.answer = answer;
      const waits: (number | undefined)[] = [];
      for (let round = 0; round < 7; round += 1) {
        const { requeueAfterMs = 0 } = await reconcile();
        waits.push(requeueAfterMs);
        await clock.advance(requeueAfterMs);
      }
      expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
      expect(status().secret).toEqual({ observed, checkedAt: '2030-01-01T00:00:00Z' });
      expect(summary(status())).toEqual({
        Accepted: 'True/Accepted',
        DependenciesResolved: dependencies,
        Ready: dependencies,
      });
      expect(status().conditions?.find(({ type }) => type === 'Ready')?.message).toContain(says);
      expect(state.writes).toBe(1);
      state.answer = present;
      await reconcile();
      expect(summary(status())).toEqual(RESOLVED);
    },
  );

  it('is not given up at the first refusal, which an API server that has just started gives to everybody', async () => {
    const { reconcile, state, status, clock } = world(bindingOf());
    await reconcile();
    await clock.advance(TIMING.recheckMs);
    state.answer = 'Forbidden';
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(summary(status())).toEqual(RESOLVED);
    await clock.advance(REFUSED_AFTER_MS);
    await reconcile();
    expect(summary(status()).Ready).toBe(unreadable);
  });

  it('stays what it was while nobody answers', async () => {
    const { reconcile, state, status, clock } = world(bindingOf());
    await reconcile();
    await clock.advance(TIMING.recheckMs);
    state.answer = 'Server';
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Server' });
    await clock.advance(REFUSED_AFTER_MS);
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Server' });
    expect(summary(status())).toEqual(RESOLVED);
  });
});

describe('a binding', () => {
  it('without its profile is not Ready, however good the Secret', async () => {
    const { reconcile, status } = world(bindingOf(), { profiles: [] });
    await reconcile();
    expect(summary(status()).Ready).toBe('False/DependencyMissing');
    expect(status().secret?.observed).toBe('Present');
  });

  const older = { ...bindingOf({ id: 'x' }, 'a'), metadata: { ...bindingOf({}, 'a').metadata, uid: 'uid-0' } };
  it.each([
    ['is invalid', { keys: [] }, 'InvalidPolicy'],
    ['has the id of an older one', { id: 'x' }, 'IdentityConflict'],
  ])('that %s is refused without a look', async (_, more, reason) => {
    const { reconcile, status, state, events } = world(bindingOf(more), { bindings: [older] });
    expect(await reconcile()).toEqual({});
    expect(summary(status())).toEqual({
      Accepted: `False/${reason}`,
      DependenciesResolved: 'Unknown/NotEvaluated',
      Ready: `False/${reason}`,
    });
    expect(state.looks).toBe(0);
    expect(events).toEqual([`Warning ${reason}`]);
  });

  it('has no place beside 64 older ones, and says so without a look', async () => {
    const others = Array.from({ length: 64 }, (_, i) => ({
      ...bindingOf({}, `older-${i}`),
      metadata: { ...bindingOf({}, `older-${i}`).metadata, creationTimestamp: '2029-01-01T00:00:00Z' },
    }));
    const { reconcile, status, state } = world(bindingOf(), { bindings: others });
    await reconcile();
    expect(summary(status()).Ready).toBe('False/SubjectConflict');
    expect(state.looks).toBe(0);
  });

  it('that is gone or going costs nothing', async () => {
    const { reconcile, cache, state } = world(bindingOf());
    const going = { ...bindingOf(), metadata: { ...bindingOf().metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    for (const current of [going, undefined]) {
      cache.bindings.change('b', current);
      expect(await reconcile()).toEqual({});
    }
    expect(state).toMatchObject({ looks: 0, writes: 0 });
  });
});
