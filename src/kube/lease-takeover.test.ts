import { describe, expect, it } from 'vitest';
import { setup } from './testing/lease-candidates.ts';

describe('what a leader is told of the one before', () => {
  it('is that there was none', async () => {
    const { clock, start } = setup();
    const a = start('a');
    await clock.advance(100);
    expect(a).toMatchObject({ waits: [], othersUntil: [Number.NEGATIVE_INFINITY] });
  });

  it('is that it was none but an earlier process of its own name', async () => {
    const { clock, start } = setup();
    start('a');
    await clock.advance(100);
    const again = start('a');
    await clock.advance(100);
    expect(again).toMatchObject({ waits: [], othersUntil: [Number.NEGATIVE_INFINITY] });
  });

  it('is when it was seen that nobody holds the lease any more', async () => {
    const { clock, start } = setup();
    const a = start('a');
    await clock.advance(500);
    const b = start('b');
    await clock.advance(600);
    a.stop.abort();
    await clock.advance(10_000);
    // It looks every two seconds, from its start on.
    expect(b).toMatchObject({ waits: [500], othersUntil: [2500] });
  });

  it('is when the lease ran out', async () => {
    const { clock, start } = setup();
    const a = start('a');
    await clock.advance(500);
    const b = start('b');
    a.client.broken = 'Transport';
    await clock.advance(60_000);
    expect(b).toMatchObject({ waits: [500], othersUntil: [15_500] });
  });

  it('is that it has to wait, at once, where the API is away', async () => {
    const { clock, start } = setup();
    const a = start('a');
    a.client.broken = 'Transport';
    await clock.advance(30_000);
    a.client.broken = undefined;
    await clock.advance(2000);
    expect(a).toMatchObject({ waits: [0], othersUntil: [Number.NEGATIVE_INFINITY] });
  });
});
