import { describe, expect, it } from 'vitest';
import type { Informer, InformerHealth } from '../kube/informer.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { createCurrency, REFUSED_AFTER_MS } from './currency.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { followComplete, isComplete } from './readiness.ts';

type State = { -readonly [K in 'connected' | 'absent' | 'forbidden' | 'askedAtMs']: InformerHealth[K] } & {
  hasSynced: boolean;
};

const synced: State = { hasSynced: true, connected: true, absent: false, forbidden: false, askedAtMs: 5 };
const refused: State = { ...synced, hasSynced: false, connected: false, forbidden: true };

function world(outputs: State) {
  const clock = createFakeClock();
  const informer = (state: State) =>
    ({ hasSynced: state.hasSynced, health: () => state, resource: { kind: 'X' } }) as unknown as Informer;
  const known = informer(synced);
  const cache = {
    namespace: 'team',
    profiles: known,
    policies: known,
    bindings: known,
    bundles: known,
    networkPolicies: informer(outputs),
    pods: known,
  } as NamespaceCache;
  const { isCurrent } = createCurrency([known, cache.networkPolicies], clock);
  return { clock, view: { cache, reports: known, isCurrent, sinceMs: 5 } };
}

describe('what is known of a namespace is complete', () => {
  it('once every list has come', () => {
    expect(isComplete(world(synced).view)).toBe(true);
    expect(isComplete(world({ ...refused, forbidden: false }).view)).toBe(false);
  });

  it('not by a list from before this process led', () => {
    expect(isComplete(world({ ...synced, askedAtMs: 4 }).view)).toBe(false);
  });

  it('not at the first refusal, which an API server that has just started gives to everybody', async () => {
    const { clock, view } = world(refused);
    expect(isComplete(view)).toBe(false);
    await clock.advance(REFUSED_AFTER_MS);
    expect(isComplete(view)).toBe(true);
  });
});

describe('a view that is complete', () => {
  async function follow(initial: State) {
    const state = { ...initial };
    const { clock, view } = world(state);
    const stop = new AbortController();
    const missed = new Set<string>();
    const completed: number[] = [];
    const options = { view: () => view, clock, signal: stop.signal, missed: () => missed.delete('team') };
    void followComplete(options, () => completed.push(clock.monotonicMs()));
    await clock.advance(0);
    return { clock, state, missed, completed };
  }

  it('is told once', async () => {
    const { clock, completed } = await follow(synced);
    await clock.advance(60_000);
    expect(completed).toEqual([0]);
  });

  it('is told again after a list that was refused for long is refused no more, and comes later', async () => {
    const { clock, state, completed } = await follow({ ...refused, hasSynced: true, askedAtMs: 4 });
    await clock.advance(REFUSED_AFTER_MS);
    expect(completed).toHaveLength(1);
    state.forbidden = false;
    await clock.advance(5000);
    expect(completed).toHaveLength(1);
    Object.assign(state, { connected: true, askedAtMs: 15_000 });
    await clock.advance(1000);
    expect(completed).toHaveLength(2);
  });

  it('is told again where something was left undone in between', async () => {
    const { clock, missed, completed } = await follow(synced);
    await clock.advance(1500);
    missed.add('team');
    await clock.advance(1000);
    expect(completed).toEqual([0, 2000]);
  });
});
