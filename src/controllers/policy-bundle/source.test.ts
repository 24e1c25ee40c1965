/** Rules that stand in a ConfigMap: when it is read, and what is said of it. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bundleObject, createWorld, IN_FORCE, inForce, later, SPEC, type World } from './testing.ts';

describe('rules in a ConfigMap', () => {
  const text = JSON.stringify({ rules: SPEC.source.inline.rules });
  const sha256 = createHash('sha256').update(text).digest('hex');
  const referring = { source: { configMapRef: { name: 'tools', key: 'bundle.json', sha256 } } };
  const tools = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tools' }, data });

  function referred(data: object | undefined = { 'bundle.json': text }): World {
    const world = createWorld(bundleObject(referring));
    if (data !== undefined) world.server.put(tools(data));
    return world;
  }

  it('are read by one get, and again within five minutes', async () => {
    const world = referred();
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
    const { configMap } = world.status().output ?? {};
    expect(world.server.calls).toEqual(['get tools', `create ${configMap}`]);
    expect(configMap).toBe((await inForce()).name);
    await world.reconcile();
    expect(world.server.calls).toHaveLength(2);
    await later(world);
    await world.reconcile();
    expect(world.server.calls.slice(2)).toEqual(['get tools', `get ${configMap}`]);
    expect(world.state.writes).toBe(1);
  });

  it.each([
    ['is not there', undefined, 'ConfigMap tools does not exist in namespace team-a: create it'],
    ['lacks the key', { other: text }, 'ConfigMap tools has no key bundle.json under data: add it'],
    ['has another text', { 'bundle.json': `${text} ` }, /^ConfigMap tools: key bundle.json has another SHA-256/],
  ])('of one that %s are missed, and looked for less and less often', async (_, data, message) => {
    const world = referred(data ?? undefined);
    if (data === undefined) world.server.objects.clear();
    const waits: (number | undefined)[] = [];
    for (let round = 0; round < 6; round += 1) {
      const { requeueAfterMs = 0 } = await world.reconcile();
      waits.push(requeueAfterMs - 100);
      await world.clock.advance(requeueAfterMs);
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000]);
    expect(world.summary()).toEqual({
      Accepted: 'True/Accepted',
      Supported: 'Unknown/NotEvaluated',
      DependenciesResolved: 'False/DependencyMissing',
      Compiled: 'False/CompilationFailed',
      Applied: 'False/NotCompiled',
      Enforced: 'Unknown/NotProbed',
      Ready: 'False/DependencyMissing',
    });
    expect(world.message('Ready')).toMatch(message);
    expect(world.state.writes).toBe(1);
    world.server.put(tools({ 'bundle.json': text }));
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
  });

  it('that say what no bundle may say are InvalidPolicy, with key and path', async () => {
    const bad = JSON.stringify({ rules: [{ ...SPEC.source.inline.rules[0], effect: 'TOP-SECRET' }] });
    const digest = createHash('sha256').update(bad).digest('hex');
    const world = createWorld(
      bundleObject({ source: { configMapRef: { ...referring.source.configMapRef, sha256: digest } } }),
    );
    world.server.put(tools({ 'bundle.json': bad }));
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Accepted: 'False/InvalidPolicy', Ready: 'False/InvalidPolicy' });
    expect(world.message('Accepted')).toMatch(/^ConfigMap tools: key bundle.json: rules\[0\]\.effect: /);
    expect(JSON.stringify(world.status())).not.toContain('TOP-SECRET');
  });

  it('may not be read, which is told as unknown', async () => {
    const world = referred();
    world.server.faults.set('get', 'Forbidden');
    const waits: (number | undefined)[] = [];
    for (let round = 0; round < 4; round += 1) {
      const { requeueAfterMs = 0 } = await world.reconcile();
      waits.push(requeueAfterMs - 100);
      await world.clock.advance(requeueAfterMs);
    }
    // A grant heals it within a minute.
    expect(waits).toEqual([15_000, 30_000, 60_000, 60_000]);
    expect(world.summary()).toMatchObject({
      DependenciesResolved: 'Unknown/DependencyNotReadable',
      Compiled: 'Unknown/CompilationPending',
    });
    world.server.faults.clear();
    await later(world);
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
  });

  it('go on being good while nobody answers, or a refusal has just begun', async () => {
    const world = await inForce(referred());
    for (const reason of ['Server', 'Forbidden'] as const) {
      await later(world);
      world.server.faults.set('get', reason);
      await expect(world.reconcile()).rejects.toMatchObject({ reason });
      expect(world.summary()).toEqual(IN_FORCE);
      expect(world.state.writes).toBe(0);
    }
  });

  it('are read at once when another text is meant', async () => {
    const world = await inForce(referred());
    world.change({ source: { configMapRef: { ...referring.source.configMapRef, key: 'other.json' } } });
    await world.reconcile();
    expect(world.server.calls).toEqual(['get tools']);
    expect(world.message('Ready')).toBe('ConfigMap tools has no key other.json under data: add it');
  });

  it('are kept once, however many bundles refer to them', async () => {
    const world = await inForce(referred());
    const keyOf = (name: string) => ({ namespace: 'team-a', name });
    const held = (name: string, uid: string) =>
      world.memories().sources.recall({ key: keyOf(name), about: `${uid} 1` })?.value;
    world.cache.bundles.change('c', bundleObject(referring, 'c'));
    await world.reconcile('c');
    const [first, second] = [held('b', 'uid-b'), held('c', 'uid-c')];
    expect(first).toMatchObject({ kind: 'Rules', rules: SPEC.source.inline.rules });
    expect(second).toEqual(first);
    expect(second?.kind === 'Rules' && first?.kind === 'Rules' && second.rules === first.rules).toBe(true);
  });

  it('are not read for a bundle that is refused', async () => {
    const older = { ...bundleObject({ id: 'x' }, 'a'), metadata: { ...bundleObject({}, 'a').metadata, uid: 'uid-0' } };
    const bundle = bundleObject({ ...referring, id: 'x' });
    const world = createWorld(bundle, { bundles: [older, bundle] });
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Ready: 'False/IdentityConflict' });
    expect(world.server.calls).toEqual([]);
  });

  it('that go leave their output in place, but it is not Ready', async () => {
    const world = await inForce(referred());
    world.server.objects.delete('tools');
    await later(world);
    await world.reconcile();
    expect(world.summary()).toMatchObject({
      DependenciesResolved: 'False/DependencyMissing',
      Degraded: 'True/KeepingPrevious',
    });
    expect(world.message('Degraded')).toMatch(/^what was written for generation 1 stays in place, but not compiled/);
    expect([...world.server.objects.keys()]).toEqual([world.name]);
    world.server.put(tools({ 'bundle.json': text }));
    await later(world);
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
  });
});
