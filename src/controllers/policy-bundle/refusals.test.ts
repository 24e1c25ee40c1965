/** What is refused, or waits, before anything is asked of the API server. */
import { describe, expect, it } from 'vitest';
import { bundleObject, createWorld, IN_FORCE, inForce, inlineRules, later } from './testing.ts';

describe('what is refused without a look', () => {
  const older = { ...bundleObject({ id: 'x' }, 'a'), metadata: { ...bundleObject({}, 'a').metadata, uid: 'uid-0' } };

  it.each([
    ['an invalid spec', { targets: [] }, 'InvalidPolicy'],
    ['the id of an older bundle', { id: 'x' }, 'IdentityConflict'],
  ])('is %s', async (_, parts, reason) => {
    const world = createWorld(bundleObject(parts), { bundles: [older, bundleObject(parts)] });
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Accepted: `False/${reason}`, Ready: `False/${reason}` });
    expect(world.server.calls).toEqual([]);
    expect(world.events).toEqual([`Warning ${reason}`]);
  });

  it('is the seventeenth bundle of a profile, and it has its place as soon as another goes', async () => {
    const others = Array.from({ length: 16 }, (_, i) => ({
      ...bundleObject({}, `older-${i}`),
      metadata: { ...bundleObject({}, `older-${i}`).metadata, creationTimestamp: '2029-01-01T00:00:00Z' },
    }));
    const world = createWorld(bundleObject(), { bundles: [...others, bundleObject()] });
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Accepted: 'False/SubjectConflict' });
    world.cache.bundles.change('older-3', undefined);
    await world.reconcile();
    expect(world.summary()).toEqual(IN_FORCE);
  });

  it('is nothing while profiles cannot be followed: what is in force stays, and nothing is written', async () => {
    const world = await inForce();
    world.change(inlineRules(['other']));
    world.blind.add(world.cache.profiles);
    await world.reconcile();
    await later(world);
    await world.reconcile();
    expect(world.summary()).toMatchObject({ DependenciesResolved: 'Unknown/DependencyNotReadable' });
    expect(world.status().output).toMatchObject({ configMap: world.name });
    expect(world.server.calls).toEqual([]);
  });

  it('is what would not fit into a ConfigMap', async () => {
    const rules = Array.from({ length: 256 }, (_, i) => ({
      id: `r${i}`,
      effect: 'Ask',
      server: 's',
      tools: Array.from({ length: 64 }, (_, j) => `${i}-${j}-`.padEnd(128, 'x')),
    }));
    const world = createWorld(bundleObject({ source: { inline: { rules } } }));
    await world.reconcile();
    expect(world.summary()).toMatchObject({ Compiled: 'False/CompilationFailed', Ready: 'False/CompilationFailed' });
    expect(world.message('Compiled')).toMatch(/^the output would have \d+ bytes, of 1048576 that a ConfigMap can have/);
    expect(world.status().rules).toEqual({ total: 256, inexpressible: [] });
    expect(world.server.calls).toEqual([]);
  });
});
