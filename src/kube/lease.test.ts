import { describe, expect, it } from 'vitest';
import { NotLeadingError } from './lease.ts';
import { settle } from './testing/fake-clock.ts';
import { setup, start } from './testing/lease-candidates.ts';
import type { LeaseServer } from './testing/lease-server.ts';
import { isRecord } from './types.ts';

const specOf = (server: LeaseServer) => {
  const spec = server.collection.objects.get('lock')?.spec;
  return isRecord(spec) ? spec : expect.unreachable('the lease exists');
};

/** Another holder, written by hand. */
function seize(server: LeaseServer, holderIdentity: string): void {
  const lease = server.collection.objects.get('lock') ?? expect.unreachable('the lease exists');
  server.collection.put({ ...lease, spec: { ...specOf(server), holderIdentity } });
}

describe('election', () => {
  it('creates the lease, leads and renews every retry period with one write', async () => {
    const { server, clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    expect(a.elector.isLeading()).toBe(true);
    expect(specOf(server)).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(specOf(server).renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await clock.advance(60_000);
    expect(a.elector.isLeading()).toBe(true);
    expect(server.collection.history).toHaveLength(31);
  });

  it('has one leader when two start at once', async () => {
    const { clock, start } = setup();
    const [a, b] = [start('a'), start('b')];
    await clock.advance(120_000);
    expect([a.elector.isLeading(), b.elector.isLeading()].filter(Boolean)).toHaveLength(1);
    expect([...a.seen, ...b.seen]).toEqual(['started']);
  });

  it('takes over after the whole lease without a sign of life, not before', async () => {
    const { server, clock, start } = setup();
    const a = start('a');
    await clock.advance(1000);
    const b = start('b');
    await clock.advance(1000);
    a.client.broken = 'Transport';
    await clock.advance(13_900);
    expect(b.elector.isLeading()).toBe(false);
    await clock.advance(4000);
    expect(b.elector.isLeading()).toBe(true);
    expect(specOf(server)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('judges the lease by its own clock: the holder’s times do not matter', async () => {
    const { server, clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    clock.setWallOffset(-3_600_000);
    const b = start('b');
    await clock.advance(60_000);
    clock.setWallOffset(3_600_000);
    await clock.advance(60_000);
    expect([a.elector.isLeading(), b.elector.isLeading()]).toEqual([true, false]);
    expect(specOf(server).holderIdentity).toBe('a');
  });

  it('does not take a lease that was deleted under a living holder', async () => {
    const { server, clock, start } = setup();
    const a = start('a');
    await clock.advance(500);
    const b = start('b');
    // Just after the holder has renewed, so that the other one is the first to see that the lease is gone.
    await clock.advance(1600);
    server.collection.remove('lock');
    await clock.advance(5000);
    expect([a.elector.isLeading(), b.elector.isLeading()]).toEqual([true, false]);
    expect(specOf(server).holderIdentity).toBe('a');
  });
});

describe('a leader', () => {
  it('that can not renew stops before the lease ends', async () => {
    const { clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    a.client.broken = 'Timeout';
    await clock.advance(9900);
    expect(a.elector.isLeading()).toBe(true);
    await clock.advance(200);
    expect(a.elector.isLeading()).toBe(false);
    await clock.advance(2000);
    expect(a.seen).toEqual(['started', 'aborted', 'stopped']);
    expect(await a.end).toBe('lost');
  });

  it('survives renewals whose answer was lost', async () => {
    const { clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    a.client.broken = 'Timeout';
    a.client.commitsWhenBroken = true;
    await clock.advance(5000);
    a.client.broken = undefined;
    await clock.advance(60_000);
    expect(a.elector.isLeading()).toBe(true);
  });

  it('stops at once when somebody else holds the lease', async () => {
    const { server, clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    seize(server, 'x');
    await clock.advance(2000);
    expect(await a.end).toBe('lost');
    expect(a.elector.isLeading()).toBe(false);
    expect(specOf(server).holderIdentity).toBe('x');
  });

  it('that was frozen knows it before any timer has run, and does not renew', async () => {
    const { server, clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    expect(() => a.elector.assertLeading()).not.toThrow();
    clock.freeze(20_000);
    expect(() => a.elector.assertLeading()).toThrow(NotLeadingError);
    const before = server.collection.history.length;
    await clock.advance(0);
    expect(await a.end).toBe('lost');
    expect(server.collection.history).toHaveLength(before);
  });

  it('that was frozen within a renewal steps down although the renewal succeeds', async () => {
    const { clock, start } = setup();
    const a = start('a');
    await clock.advance(0);
    const patch = a.client.mergePatch;
    a.client.mergePatch = (...call) => {
      clock.freeze(20_000);
      return patch(...call);
    };
    await clock.advance(2000);
    expect(await a.end).toBe('lost');
    expect(a.elector.isLeading()).toBe(false);
  });

  it('gives the lease back on a graceful stop, after its work has ended', async () => {
    const { server, clock } = setup();
    const release = Promise.withResolvers<void>();
    const a = start({ server, clock, identity: 'a', work: () => release.promise });
    const b = start({ server, clock, identity: 'b' });
    await clock.advance(0);
    a.stop.abort();
    await settle();
    expect(specOf(server).holderIdentity).toBe('a');
    release.resolve();
    expect(await a.end).toBe('stopped');
    expect(specOf(server)).not.toHaveProperty('holderIdentity');
    await clock.advance(2000);
    expect(b.elector.isLeading()).toBe(true);
  });

  it('lets the lease run out when its work does not end', async () => {
    const { server, clock } = setup();
    const a = start({ server, clock, identity: 'a', work: () => new Promise(() => undefined) });
    await clock.advance(0);
    a.stop.abort();
    await clock.advance(10_000);
    expect(await a.end).toBe('stopped');
    expect(specOf(server).holderIdentity).toBe('a');
  });

  it('passes on the failure of its work, with the lease released', async () => {
    const { server, clock } = setup();
    const a = start({ server, clock, identity: 'a', work: () => Promise.reject(new Error('work failed')) });
    await expect(a.end).rejects.toThrow('work failed');
    expect(specOf(server)).not.toHaveProperty('holderIdentity');
  });
});

describe('a candidate', () => {
  it('keeps trying while the API is away', async () => {
    const { clock, start } = setup();
    const a = start('a');
    a.client.broken = 'Transport';
    await clock.advance(30_000);
    expect(a.elector.isLeading()).toBe(false);
    a.client.broken = undefined;
    await clock.advance(2000);
    expect(a.elector.isLeading()).toBe(true);
  });

  it('stops without ever leading', async () => {
    const { clock, start } = setup();
    start('a');
    await clock.advance(0);
    const b = start('b');
    await clock.advance(0);
    b.stop.abort();
    expect(await b.end).toBe('stopped');
    expect(b.seen).toEqual([]);
  });

  it('takes a lease of its own name at once: its earlier process is gone', async () => {
    const { server, clock, start } = setup();
    start('a').stop.abort();
    await clock.advance(0);
    seize(server, 'b');
    const b = start('b');
    await clock.advance(0);
    expect(b.elector.isLeading()).toBe(true);
  });
});
