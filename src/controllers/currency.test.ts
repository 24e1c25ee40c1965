import { describe, expect, it } from 'vitest';
import type { Informer, InformerHealth } from '../kube/informer.ts';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import { BLIND_AFTER_MS, createCurrency, REFUSED_AFTER_MS } from './currency.ts';

function following(initial: Partial<InformerHealth>) {
  const clock = createFakeClock();
  let health = initial;
  const informer = { health: () => ({ connected: false, absent: false, forbidden: false, ...health }) } as Informer;
  const currency = createCurrency([informer], clock);
  return { clock, currency, informer, set: (next: Partial<InformerHealth>) => (health = next) };
}

describe('a cache is current', () => {
  it('while its watch is open, and while a short gap lasts', async () => {
    const { clock, currency, informer, set } = following({ connected: true });
    await clock.advance(BLIND_AFTER_MS * 2);
    expect(currency.isCurrent(informer)).toBe(true);
    set({});
    await clock.advance(BLIND_AFTER_MS - 1000);
    expect(currency.isCurrent(informer)).toBe(true);
  });

  it('not once the gap is long', async () => {
    const { clock, currency, informer, set } = following({ connected: true });
    expect(currency.isCurrent(informer)).toBe(true);
    set({});
    await clock.advance(BLIND_AFTER_MS);
    expect(currency.isCurrent(informer)).toBe(false);
  });

  it('not for long once list or watch are refused', async () => {
    const { clock, currency, informer } = following({ forbidden: true });
    expect(currency.isCurrent(informer)).toBe(true);
    await clock.advance(REFUSED_AFTER_MS);
    expect(currency.isCurrent(informer)).toBe(false);
  });

  it('when an outage ends with a moment of refusals', async () => {
    const { clock, currency, informer, set } = following({ connected: true });
    expect(currency.isCurrent(informer)).toBe(true);
    set({});
    await clock.advance(REFUSED_AFTER_MS * 3);
    set({ forbidden: true });
    expect(currency.isCurrent(informer)).toBe(true);
    await clock.advance(REFUSED_AFTER_MS - 1000);
    expect(currency.isCurrent(informer)).toBe(true);
    await clock.advance(1000);
    expect(currency.isCurrent(informer)).toBe(false);
  });

  it('where its API is not served: that is the truth about it', async () => {
    const { clock, currency, informer } = following({ absent: true });
    await clock.advance(BLIND_AFTER_MS * 2);
    expect(currency.isCurrent(informer)).toBe(true);
  });

  it('and each change of sides is told once', async () => {
    const { clock, currency, set } = following({ connected: true });
    let changes = 0;
    const stop = new AbortController();
    const done = currency.follow(stop.signal, () => changes++);
    await clock.advance(10_000);
    set({ forbidden: true });
    await clock.advance(REFUSED_AFTER_MS + 5000);
    expect(changes).toBe(1);
    set({ connected: true });
    await clock.advance(10_000);
    expect(changes).toBe(2);
    stop.abort();
    await done;
  });
});
