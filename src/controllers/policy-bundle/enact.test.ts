/** Outputs that somebody else has put a hand on, and strangers with the name of one. */
import { describe, expect, it } from 'vitest';
import { REFUSED_AFTER_MS } from '../currency.ts';
import { bundleObject, createWorld, IN_FORCE, inForce, inlineRules, later } from './testing.ts';

describe('an output that somebody', () => {
  it('has deleted is written again at the next look, and that is shown for five minutes', async () => {
    const world = await inForce();
    world.server.objects.clear();
    await world.reconcile();
    expect(world.server.objects.size).toBe(0);
    await later(world);
    await world.reconcile();
    expect([...world.server.objects.keys()]).toEqual([world.name]);
    expect(world.summary()).toEqual({ ...IN_FORCE, Degraded: 'True/DriftRestored' });
    expect(world.status().output?.uid).toBe('uid-cm-2');
    expect(world.state.restored).toBe(1);
    expect(world.events).toContain('Warning DriftRestored');
    await world.clock.advance(270_000);
    expect(await world.reconcile()).toEqual({ requeueAfterMs: 30_100 });
    world.restart();
    await world.reconcile();
    expect(world.summary().Degraded).toBe('True/DriftRestored');
    await later(world);
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
    expect(world.state.restored).toBe(1);
  });

  it.each([
    ['other content', { data: { 'tool-policy.json': '{}' } }, {}],
    ['more content', { binaryData: { more: 'AA==' } }, {}],
    ['content that can be changed', { immutable: undefined }, {}],
    ['no label', {}, { labels: {} }],
    ['no owner', {}, { ownerReferences: [] }],
  ])('has replaced, under our marks, by one with %s is put right by its UID', async (_, parts, marks) => {
    const world = await inForce();
    const live = world.server.objects.get(world.name);
    if (live === undefined) throw new Error('there is no output');
    world.server.objects.set(world.name, { ...live, ...parts, metadata: { ...live.metadata, ...marks } });
    await later(world);
    await world.reconcile();
    expect(world.server.calls).toEqual([`get ${world.name}`, `delete ${world.name}`, `create ${world.name}`]);
    expect(world.server.objects.get(world.name)).toMatchObject({ immutable: true, data: live.data });
    expect(world.summary()).toEqual({ ...IN_FORCE, Degraded: 'True/DriftRestored' });
  });

  it('has marked in other ways is left as it is', async () => {
    const world = await inForce();
    const live = world.server.objects.get(world.name);
    if (live === undefined) throw new Error('there is no output');
    const metadata = {
      ...live.metadata,
      annotations: { theirs: 'x' },
      labels: { ...live.metadata.labels, theirs: 'x' },
    };
    world.server.objects.set(world.name, { ...live, metadata });
    await later(world);
    await world.reconcile();
    expect(world.server.calls).toEqual([`get ${world.name}`]);
    expect(world.state.writes).toBe(0);
  });

  it('has replaced by one of theirs is theirs, and nothing is said to be in force', async () => {
    const world = await inForce();
    world.server.objects.clear();
    const theirs = world.server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: world.name }, data: {} });
    await later(world);
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Applied: 'False/OwnershipConflict', Ready: 'False/OwnershipConflict' });
    expect(world.status().output).toBeUndefined();
    expect(world.server.objects.get(world.name)).toBe(theirs);
  });

  it('has deleted, and that cannot be written again, is not said to be in force', async () => {
    const world = await inForce();
    world.server.objects.clear();
    world.server.faults.set('create', 'Forbidden');
    await later(world);
    await expect(world.reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(world.summary()).toMatchObject({ Applied: 'False/Forbidden' });
    expect(world.status().output).toBeUndefined();
    world.server.faults.clear();
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Ready: 'True/Ready' });
  });

  it.each([
    ['other content', { data: { 'tool-policy.json': '{}' } }, {}],
    ['content that can be changed', { immutable: undefined }, {}],
    ['none of our marks', {}, { labels: {}, ownerReferences: [], uid: 'uid-theirs' }],
  ])(
    'has replaced by one with %s while nothing can be compiled is not said to be in force',
    async (_, parts, marks) => {
      const world = await inForce();
      world.change({ profileRef: { name: 'nobody' } });
      await world.reconcile();
      const live = world.server.objects.get(world.name);
      if (live === undefined) throw new Error('there is no output');
      await later(world);
      await world.reconcile();
      expect(world.status().output).toMatchObject({ configMap: world.name });
      world.server.objects.set(world.name, { ...live, ...parts, metadata: { ...live.metadata, ...marks } });
      await later(world);
      await world.reconcile();
      expect(world.status().output).toBeUndefined();
      expect(world.message('Degraded')).toContain('has been replaced by somebody else');
    },
  );

  it.each(['Timeout', 'Forbidden'] as const)(
    'keeps from being looked at (%s) is believed while nothing can be compiled',
    async (reason) => {
      const world = await inForce();
      world.change({ profileRef: { name: 'nobody' } });
      await world.reconcile();
      await later(world);
      world.server.faults.set('get', reason);
      expect(await world.reconcile()).toEqual({ requeueAfterMs: 15_100 });
      expect(world.status().output).toMatchObject({ configMap: world.name });
    },
  );

  it('has taken away while nothing can be compiled is not said to be in force any more', async () => {
    const world = await inForce();
    world.change({ profileRef: { name: 'nobody' } });
    await world.reconcile();
    world.server.objects.clear();
    await later(world);
    await world.reconcile();
    expect(world.status().output).toBeUndefined();
    expect(world.status().superseded).toBeUndefined();
    expect(world.summary().Degraded).toBe('True/DriftNotRestorable');
    expect(world.message('Degraded')).toBe(`ConfigMap ${world.name} has been deleted by somebody else`);
    await world.reconcile();
    expect(world.summary().Degraded).toBe('True/DriftNotRestorable');
  });

  it('keeps from being looked at stays what it was until the refusal has lasted', async () => {
    const world = await inForce();
    await later(world);
    world.server.faults.set('get', 'Timeout');
    await expect(world.reconcile()).rejects.toMatchObject({ reason: 'Timeout' });
    expect(world.summary()).toEqual(IN_FORCE);
    world.server.faults.set('get', 'Forbidden');
    await expect(world.reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(world.summary()).toEqual(IN_FORCE);
    await world.clock.advance(REFUSED_AFTER_MS);
    await expect(world.reconcile()).rejects.toMatchObject({ reason: 'Forbidden' });
    expect(world.summary()).toEqual({ ...IN_FORCE, Applied: 'False/Forbidden', Ready: 'False/Forbidden' });
    expect(world.status().output).toMatchObject({ configMap: world.name });
    world.server.faults.clear();
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
    expect(world.server.calls.some((call) => call.startsWith('create'))).toBe(false);
  });
});

describe('a ConfigMap with the name of our output', () => {
  const stranger = (name: string, parts: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'team-a', ...parts },
    data: { theirs: 'x' },
  });

  async function met(parts: object = {}) {
    const name = (await inForce()).name;
    const world = createWorld();
    const theirs = world.server.put(stranger(name, parts));
    return { ...world, name, theirs };
  }

  it('that is not ours is named and never touched, and looked at less and less often', async () => {
    const world = await met();
    const waits: (number | undefined)[] = [];
    for (let round = 0; round < 7; round += 1) {
      const { requeueAfterMs = 0 } = await world.reconcile();
      waits.push(requeueAfterMs - 100);
      await world.clock.advance(requeueAfterMs);
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
    expect(world.summary()).toMatchObject({ Applied: 'False/OwnershipConflict', Ready: 'False/OwnershipConflict' });
    expect(world.message('Applied')).toContain(`ConfigMap ${world.name} exists and is not ours`);
    expect(world.status().output).toBeUndefined();
    expect(world.server.objects.get(world.name)).toBe(world.theirs);
    // Posted once: the name is looked at from then on.
    expect(world.server.calls.filter((call) => call.startsWith('create'))).toHaveLength(1);
    expect(world.state.writes).toBe(1);
    world.server.objects.clear();
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
    expect(world.state.restored).toBe(0);
  });

  it('leaves what is in force in force', async () => {
    const world = await inForce();
    const other = createWorld(bundleObject(inlineRules(['other'])));
    await other.reconcile();
    const name = other.status().output?.configMap ?? '';
    world.server.put(stranger(name));
    world.change(inlineRules(['other']));
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Applied: 'False/OwnershipConflict', Degraded: 'True/KeepingPrevious' });
    expect(world.status().output).toMatchObject({ configMap: world.name, generation: 1 });
    expect(world.status().superseded).toBeUndefined();
  });

  it('that is of an earlier bundle of this identity is waited for', async () => {
    const { name } = await inForce(createWorld(bundleObject({ id: 'tools' })));
    const world = createWorld(bundleObject({ id: 'tools' }));
    const older = createWorld({
      ...bundleObject({ id: 'tools' }),
      metadata: { ...bundleObject().metadata, uid: 'uid-older' },
    });
    await older.reconcile();
    for (const live of older.server.objects.values()) world.server.put(live);
    await world.reconcile();
    expect(world.summary().Applied).toBe('Unknown/ApplyPending');
    expect(world.message('Applied')).toContain('goes by garbage collection');
    expect([...world.server.objects.keys()]).toEqual([name]);
  });

  it('that is being deleted is waited for', async () => {
    const world = await inForce();
    const live = world.server.objects.get(world.name);
    if (live === undefined) throw new Error('there is no output');
    const going = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['example.com/hold'] };
    world.server.objects.set(world.name, { ...live, metadata: { ...live.metadata, ...going } });
    await later(world);
    await world.reconcile();
    expect(world.summary().Applied).toBe('Unknown/ApplyPending');
    expect(world.message('Applied')).toContain('example.com/hold');
    expect(world.server.calls).toEqual([`get ${world.name}`]);
  });

  it('that the API server stores otherwise than it was sent is removed, and tried again less and less often', async () => {
    const world = createWorld();
    world.server.mutateBy((object) => ({ ...object, immutable: false }));
    for (let round = 0; round < 3; round += 1) {
      expect(await world.reconcile()).toEqual({ requeueAfterMs: 15_000 * 2 ** round + 100 });
      expect(world.summary()).toMatchObject({ Applied: 'False/ApplyRejected', Ready: 'False/ApplyRejected' });
      expect(world.server.objects.size).toBe(0);
      await world.clock.advance(15_000 * 2 ** round);
    }
    expect(world.message('Applied')).toContain('mutating webhook');
    expect(world.status().output).toBeUndefined();
    world.server.mutateBy((object) => object);
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
    expect(world.state.restored).toBe(0);
  });
});
