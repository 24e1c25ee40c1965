/** A bundle from its spec to its ConfigMap: what is written, asked and said, and when it is looked at again. */
import { describe, expect, it } from 'vitest';
import { MAX_SUPERSEDED } from '../../api/policy-bundle.ts';
import {
  bundleObject,
  createWorld,
  IN_FORCE,
  inForce,
  inlineRules,
  later,
  podUsing,
  RECHECK_MS,
  SPEC,
} from './testing.ts';

describe('a bundle', () => {
  it('is put in force by one create and one status, and looked at again within five minutes', async () => {
    const world = createWorld();
    expect(await world.reconcile()).toEqual({ requeueAfterMs: RECHECK_MS * 0.9 + 100 });
    expect(world.summary()).toEqual(IN_FORCE);
    const [[name, live] = []] = world.server.objects;
    expect(world.server.calls).toEqual([`create ${name}`]);
    expect(world.state.writes).toBe(1);
    expect(world.events).toEqual(['Normal Ready']);
    expect(world.status()).toMatchObject({
      observedGeneration: 1,
      output: { configMap: name, generation: 1, uid: live?.metadata.uid, digest: expect.stringMatching(/^sha256:/) },
      rules: { total: 1, inexpressible: [] },
    });
    expect(live).toMatchObject({ immutable: true, data: { 'tool-policy.json': expect.any(String) } });
  });

  it('costs nothing before its time, and one look and no write after it', async () => {
    const world = await inForce();
    await world.reconcile();
    expect(world.server.calls).toEqual([]);
    await later(world);
    await world.reconcile();
    expect(world.server.calls).toEqual([`get ${world.name}`]);
    expect(world.state.writes).toBe(0);
  });

  it('costs nothing after a restart, and is looked at in the course of the next five minutes', async () => {
    const world = await inForce();
    world.restart();
    expect(await world.reconcile()).toEqual({ requeueAfterMs: RECHECK_MS / 2 + 100 });
    expect(world.server.calls).toEqual([]);
    expect(world.state.writes).toBe(0);
  });

  it('whose create was answered to nobody goes on with the object that is there', async () => {
    const world = createWorld();
    await world.reconcile();
    const fresh = createWorld();
    for (const live of world.server.objects.values()) fresh.server.put(live);
    await fresh.reconcile();
    expect(fresh.summary()).toEqual(IN_FORCE);
    expect(fresh.status().output).toEqual(world.status().output);
    expect(fresh.server.calls.map((call) => call.split(' ')[0])).toEqual(['create', 'get']);
  });

  it('that is gone or going costs nothing', async () => {
    const world = await inForce();
    const live = bundleObject();
    const going = { ...live, metadata: { ...live.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } };
    for (const current of [going, undefined]) {
      world.cache.bundles.change('b', current);
      expect(await world.reconcile()).toEqual({});
    }
    expect(world.server.calls).toEqual([]);
  });

  it('that is gone is forgotten', async () => {
    const world = await inForce();
    const live = world.cache.bundles.get('b');
    world.cache.bundles.change('b', undefined);
    await world.reconcile();
    world.cache.bundles.change('b', live);
    expect(await world.reconcile()).toEqual({ requeueAfterMs: RECHECK_MS / 2 + 100 });
  });
});

describe('a newer generation', () => {
  it('of the same content writes no ConfigMap', async () => {
    const world = await inForce();
    world.change({ targets: ['JSON'] });
    await world.reconcile();
    expect(world.server.calls).toEqual([]);
    expect(world.status().output).toMatchObject({ configMap: world.name, generation: 2 });
    expect(world.status().superseded).toBeUndefined();
  });

  it('has a ConfigMap of its own, and the older one goes ten seconds later when no pod uses it', async () => {
    const world = await inForce();
    world.change(inlineRules(['other']));
    expect(await world.reconcile()).toEqual({ requeueAfterMs: 10_100 });
    const output = world.status().output;
    expect(output).toMatchObject({ generation: 2 });
    expect(output?.configMap).not.toBe(world.name);
    expect(world.status().superseded).toEqual([
      { configMap: world.name, uid: 'uid-cm-1', since: '2030-01-01T00:00:00Z' },
    ]);
    expect(world.server.calls).toEqual([`create ${output?.configMap}`]);
    await world.clock.advance(10_000);
    await world.reconcile();
    expect(world.server.calls.slice(1)).toEqual([`get ${world.name}`, `delete ${world.name}`]);
    expect(world.status().superseded).toBeUndefined();
    expect(world.summary()).toEqual(IN_FORCE);
  });

  it('leaves the older one to the pods that use it, also over a restart, until the last has ended', async () => {
    const world = await inForce();
    world.cache.pods.change('agent', podUsing([world.name]));
    world.change(inlineRules(['other']));
    await world.reconcile();
    world.restart();
    await later(world);
    await world.reconcile();
    expect([...world.server.objects.keys()]).toContain(world.name);
    world.cache.pods.change('agent', podUsing([world.name], 'agent', 'Succeeded'));
    await world.reconcile();
    expect([...world.server.objects.keys()]).toEqual([world.status().output?.configMap]);
  });

  it('deletes nothing while pods cannot be followed', async () => {
    const world = await inForce();
    world.change(inlineRules(['other']));
    await world.reconcile();
    world.blind.add(world.cache.pods);
    await later(world);
    await world.reconcile();
    expect([...world.server.objects.keys()]).toContain(world.name);
    expect(world.summary()).toEqual(IN_FORCE);
    world.blind.clear();
    await world.reconcile();
    expect([...world.server.objects.keys()]).not.toContain(world.name);
  });

  it('that takes the older content again goes on with the ConfigMap that is still there', async () => {
    const world = await inForce();
    world.cache.pods.change('agent', podUsing([world.name]));
    world.change(inlineRules(['other']));
    await world.reconcile();
    const between = world.status().output?.configMap;
    world.change(SPEC);
    await world.reconcile();
    expect(world.status().output).toMatchObject({ configMap: world.name, generation: 3, uid: 'uid-cm-1' });
    expect(world.status().superseded?.map(({ configMap }) => configMap)).toEqual([between]);
  });

  it('remembers the latest of many that pods still use', async () => {
    const world = await inForce();
    world.cache.pods.change('old', podUsing([world.name]));
    for (let i = 0; i <= MAX_SUPERSEDED; i += 1) {
      world.change(inlineRules([`tool_${i}`]));
      await world.reconcile();
      world.cache.pods.change(`agent-${i}`, podUsing([world.status().output?.configMap ?? ''], `agent-${i}`));
      await world.clock.advance(1000);
    }
    const names = world.status().superseded?.map(({ configMap }) => configMap);
    expect(names).toHaveLength(MAX_SUPERSEDED);
    expect(names).not.toContain(world.name);
    expect([...world.server.objects.keys()]).toContain(world.name);
  });

  it('that cannot be compiled leaves the older one in place, and says so', async () => {
    const world = await inForce();
    world.change({ profileRef: { name: 'nobody' } });
    await world.reconcile();
    expect(world.summary()).toMatchObject({
      DependenciesResolved: 'False/DependencyMissing',
      Compiled: 'False/CompilationFailed',
      Applied: 'False/NotCompiled',
      Degraded: 'True/KeepingPrevious',
      Ready: 'False/DependencyMissing',
    });
    expect(world.message('Degraded')).toBe('generation 1 stays in force');
    expect(world.status().output).toMatchObject({ configMap: world.name, generation: 1 });
    expect(world.server.calls).toEqual([]);
    world.change(SPEC);
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
  });

  it('that cannot be written leaves the older one in place as well', async () => {
    const world = await inForce();
    world.change(inlineRules(['other']));
    world.server.faults.set('create', 'Forbidden');
    await expect(world.reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(world.summary()).toMatchObject({ Applied: 'False/Forbidden', Degraded: 'True/KeepingPrevious' });
    expect(world.status().output).toMatchObject({ configMap: world.name, generation: 1 });
    world.server.faults.clear();
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
  });

  it.each(['NotFound', 'Conflict'] as const)(
    'is content when the older one is gone already, or is another (%s)',
    async (reason) => {
      const world = await inForce();
      world.change(inlineRules(['other']));
      await world.reconcile();
      await world.clock.advance(10_000);
      world.server.faults.set('delete', reason);
      await world.reconcile();
      expect(world.status().superseded).toBeUndefined();
      expect([...world.server.objects.keys()]).toContain(world.name);
    },
  );

  it.each([
    ['the ConfigMap of somebody else', { labels: {}, ownerReferences: [] }],
    [
      'the output of another bundle',
      {
        ownerReferences: [
          { apiVersion: 'agentplane.dev/v1alpha1', kind: 'PolicyBundle', name: 'c', uid: 'uid-c', controller: true },
        ],
      },
    ],
    ['another object of that name', { uid: 'uid-another' }],
  ])('deletes nothing that is not its own, whatever somebody writes into the status: %s', async (_, marks) => {
    const world = await inForce();
    const live = world.server.objects.get(world.name);
    const bundle = world.cache.bundles.get('b');
    if (live === undefined || bundle === undefined) throw new Error('there is no output');
    const theirs = world.server.put({
      ...live,
      metadata: { ...live.metadata, name: 'theirs', uid: 'uid-theirs', ...marks },
    });
    const superseded = [{ configMap: 'theirs', uid: 'uid-theirs', since: '2029-01-01T00:00:00Z' }];
    world.cache.bundles.change('b', { ...bundle, status: { ...(bundle.status as object), superseded } });
    await world.reconcile();
    expect(world.server.objects.get('theirs')).toBe(theirs);
    expect(world.server.calls).toEqual(['get theirs']);
    expect(world.status().superseded).toBeUndefined();
    // Its twin: the same with our marks goes.
    world.server.put({ ...live, metadata: { ...live.metadata, name: 'theirs', uid: 'uid-theirs' } });
    world.cache.bundles.change('b', { ...bundle, status: { ...(bundle.status as object), superseded } });
    await world.reconcile();
    expect([...world.server.objects.keys()]).toEqual([world.name]);
  });

  it('does not hide that a delete failed: it is tried again', async () => {
    const world = await inForce();
    world.change(inlineRules(['other']));
    await world.reconcile();
    await world.clock.advance(10_000);
    world.server.faults.set('delete', 'Forbidden');
    await expect(world.reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(world.status().superseded).toHaveLength(1);
    world.server.faults.clear();
    await world.reconcile();
    expect(world.status().superseded).toBeUndefined();
  });
});
