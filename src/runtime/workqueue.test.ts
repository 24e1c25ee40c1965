import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import type { QueueKey } from './fair-queue.ts';
import { WorkQueue } from './workqueue.ts';

const key = (name: string, namespace = 'team'): QueueKey => ({ namespace, name });

function setup(random = () => 1) {
  const clock = createFakeClock();
  const depths: number[] = [];
  const queue = new WorkQueue({ clock, random, onDepth: (depth) => depths.push(depth) });
  return { clock, queue, depths };
}

async function takeNames(queue: WorkQueue, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    const next = await queue.get();
    names.push(next === undefined ? '-' : `${next.namespace}/${next.name}`);
  }
  return names;
}

describe('add', () => {
  it('holds a waiting key once', async () => {
    const { queue, depths } = setup();
    queue.add(key('a'));
    queue.add(key('a'));
    expect(queue.depth).toBe(1);
    expect(await takeNames(queue, 1)).toEqual(['team/a']);
    expect(depths.at(-1)).toBe(0);
  });

  it('brings a key back that was added while it was worked on, and only after that', async () => {
    const { queue } = setup();
    queue.add(key('a'));
    await queue.get();
    queue.add(key('a'));
    queue.add(key('a'));
    expect(queue.depth).toBe(0);
    queue.done(key('a'));
    expect(queue.depth).toBe(1);
    await queue.get();
    queue.done(key('a'));
    expect(queue.depth).toBe(0);
  });

  it('wakes a waiting worker', async () => {
    const { queue } = setup();
    const taken = queue.get();
    queue.add(key('a'));
    expect(await taken).toEqual(key('a'));
  });

  it('puts what is urgent ahead of all that waits, in order of arrival, and each key once', async () => {
    const { queue, depths } = setup();
    for (const name of ['1', '2']) queue.add(key(name, 'large'));
    queue.addFirst(key('a', 'small'));
    queue.addFirst(key('2', 'large'));
    queue.addFirst(key('a', 'small'));
    queue.add(key('a', 'small'));
    expect(queue.depth).toBe(3);
    expect(await takeNames(queue, 3)).toEqual(['small/a', 'large/2', 'large/1']);
    expect(depths.at(-1)).toBe(0);
  });

  it('wakes a waiting worker with what is urgent, and waits for the end of work on it', async () => {
    const { queue } = setup();
    const taken = queue.get();
    queue.addFirst(key('a'));
    expect(await taken).toEqual(key('a'));
    queue.addFirst(key('a'));
    expect(queue.depth).toBe(0);
    queue.done(key('a'));
    expect(await takeNames(queue, 1)).toEqual(['team/a']);
  });

  it('lets namespaces take turns', async () => {
    const { queue } = setup();
    for (const name of ['1', '2', '3']) {
      queue.add(key(name, 'large'));
    }
    queue.add(key('1', 'small'));
    queue.add(key('2', 'small'));
    expect(await takeNames(queue, 5)).toEqual(['large/1', 'small/1', 'large/2', 'small/2', 'large/3']);
  });
});

describe('addAfter', () => {
  it('waits, and of several delays the earliest counts', async () => {
    const { queue, clock } = setup();
    queue.addAfter(key('a'), 5000);
    queue.addAfter(key('a'), 1000);
    queue.addAfter(key('a'), 3000);
    await clock.advance(999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('takes a delay that no timer could hold', async () => {
    const { queue, clock } = setup();
    queue.addAfter(key('a'), Number.MAX_SAFE_INTEGER);
    await clock.advance(86_399_999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });
});

describe('addNotBefore', () => {
  it('holds the key back from whoever adds it earlier, also while it is worked on', async () => {
    const { queue, clock } = setup();
    queue.add(key('a'));
    await queue.get();
    queue.addNotBefore(key('a'), 5000);
    queue.add(key('a'));
    queue.done(key('a'));
    queue.add(key('a'));
    queue.addAfter(key('a'), 1000);
    await clock.advance(4999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });

  it('is over after its time, and holds no other key', async () => {
    const { queue, clock } = setup();
    queue.addNotBefore(key('a'), 5000);
    queue.add(key('b'));
    expect(queue.depth).toBe(1);
    await clock.advance(5000);
    expect(await takeNames(queue, 2)).toEqual(['team/b', 'team/a']);
    queue.done(key('a'));
    queue.add(key('a'));
    expect(queue.depth).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('addRateLimited', () => {
  async function delayOf(queue: WorkQueue, clock: ReturnType<typeof createFakeClock>): Promise<number> {
    queue.addRateLimited(key('a'));
    const started = clock.monotonicMs();
    while (queue.depth === 0) {
      await clock.advance(25);
    }
    await queue.get();
    queue.done(key('a'));
    return clock.monotonicMs() - started;
  }

  it('doubles per key up to the cap, and starts again after forget', async () => {
    const { queue, clock } = setup();
    const delays: number[] = [];
    for (let failure = 0; failure < 13; failure += 1) {
      delays.push(await delayOf(queue, clock));
    }
    expect(delays.slice(0, 4)).toEqual([50, 100, 200, 400]);
    expect(delays.at(-1)).toBe(60_000);
    queue.forget(key('a'));
    expect(await delayOf(queue, clock)).toBe(50);
  });

  it('is at least half of the delay whatever the jitter', async () => {
    const { queue, clock } = setup(() => 0);
    expect(await delayOf(queue, clock)).toBe(25);
  });
});

describe('shutDown', () => {
  it('wakes the workers, drops what waits and resolves with the last key in work', async () => {
    const { queue, clock } = setup();
    queue.add(key('a'));
    await queue.get();
    const idle = queue.get();
    queue.addAfter(key('b'), 1000);
    queue.add(key('a'));
    let drained = false;
    const shutDown = queue.shutDown().then(() => {
      drained = true;
    });
    expect(await idle).toBeUndefined();
    expect([drained, clock.pendingTimers]).toEqual([false, 0]);
    queue.done(key('a'));
    await shutDown;
    queue.add(key('c'));
    expect(await queue.get()).toBeUndefined();
  });
});

describe('any sequence of operations', () => {
  it('never has a key in two hands and loses none', async () => {
    const operation = fc.record({ op: fc.constantFrom('add', 'take', 'done'), name: fc.constantFrom('a', 'b', 'c') });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const { queue } = setup();
        const inWork = new Set<string>();
        const wanted = new Set<string>();
        for (const { op, name } of operations) {
          if (op === 'add') {
            queue.add(key(name));
            wanted.add(name);
          } else if (op === 'take' && queue.depth > 0) {
            const taken = await queue.get();
            expect(inWork.has(taken?.name ?? '')).toBe(false);
            inWork.add(taken?.name ?? '');
            wanted.delete(taken?.name ?? '');
          } else if (op === 'done' && inWork.delete(name)) {
            queue.done(key(name));
          }
        }
        for (const name of inWork) {
          queue.done(key(name));
        }
        const left = await takeNames(queue, queue.depth);
        expect(left.sort()).toEqual([...wanted].map((name) => `team/${name}`).sort());
      }),
    );
  });
});
