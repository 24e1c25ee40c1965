import { describe, expect, it } from 'vitest';
import type { Informer, InformerHealth } from '../kube/informer.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { createCurrency, REFUSED_AFTER_MS } from './currency.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { isComplete } from './readiness.ts';

type State = { hasSynced: boolean } & Pick<InformerHealth, 'connected' | 'absent' | 'forbidden' | 'askedAtMs'>;

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
