import { describe, expect, it } from 'vitest';
import { KubeError, type KubeErrorReason, type RetryPolicy } from '../kube/errors.ts';
import { createFakeClock, settle } from '../kube/testing/fake-clock.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import { createController, type Reconcile, type ReconcileOutcome } from './controller.ts';
import { WorkQueue } from './workqueue.ts';

const KEY = { namespace: 'team', name: 'a' };

function setup(reconcile: Reconcile, workers = 2) {
  const clock = createFakeClock();
  const queue = new WorkQueue({ clock, random: () => 1 });
  const outcomes: ReconcileOutcome[] = [];
  const stop = new AbortController();
  const logger = createRecordingLogger();
  const controller = createController({
    name: 'widgets',
    queue,
    workers,
    reconcile,
    clock,
    random: () => 1,
    logger,
    onReconcile: (observation) => outcomes.push(observation.outcome),
  });
  return { clock, queue, outcomes, stop, logger, finished: controller.run(stop.signal) };
}

function errorWith(reason: KubeErrorReason, retry?: RetryPolicy): KubeError {
  const details = retry === undefined ? {} : { retry };
  return new KubeError(reason, { verb: 'patch', resource: 'widgets' }, 'on purpose', details);
}

/** Fails the given times, then succeeds. */
function failing(times: number, error: unknown): { calls: number[]; reconcile: (nowMs: () => number) => Reconcile } {
  const calls: number[] = [];
  return {
    calls,
    reconcile: (nowMs) => async () => {
      calls.push(nowMs());
      if (calls.length <= times) {
        throw error;
      }
      return {};
    },
  };
}

describe('a reconcile', () => {
  it('gives way to timers, though none of a full queue waits for anything', async () => {
    let runs = 0;
    const { queue, stop, finished } = setup(async () => {
      runs += 1;
      return {};
    });
    for (let i = 0; i < 1000; i += 1) queue.add({ ...KEY, name: `n${i}` });
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toBeGreaterThan(0);
    expect(runs).toBeLessThan(10);
    stop.abort();
    await finished;
  });

  it('runs once per key, and again when it asks for it', async () => {
    let runs = 0;
    const { clock, queue, outcomes } = setup(async () => (++runs === 1 ? { requeueAfterMs: 1000 } : {}));
    queue.add(KEY);
    await clock.advance(999);
    expect(runs).toBe(1);
    await clock.advance(60_000);
    expect(runs).toBe(2);
    expect(outcomes).toEqual(['requeued', 'done']);
  });

  it.each([
    ['an error of ours', new TypeError('undefined is not a function'), [0, 50, 150]],
    ['something that is no error', 'text', [0, 50, 150]],
    ['a back-off', errorWith('Server'), [0, 50, 150]],
    ['a named delay, and a tenth', errorWith('TooMany', { afterMs: 3000 }), [0, 3300, 6600]],
  ])('that fails with %s is tried again', async (_, error, times) => {
    const { calls, reconcile } = failing(2, error);
    let now = () => 0;
    const { clock, queue, outcomes } = setup((key, signal) => reconcile(now)(key, signal));
    now = clock.monotonicMs;
    queue.add(KEY);
    await clock.advance(60_000);
    expect(calls.map(Math.round)).toEqual(times);
    expect(outcomes).toEqual(['retried', 'retried', 'done']);
  });

  it('whose error says never waits for an event', async () => {
    const { calls, reconcile } = failing(1, errorWith('Invalid'));
    const { clock, queue, outcomes, logger } = setup(reconcile(() => 0));
    queue.add(KEY);
    await clock.advance(3_600_000);
    expect(calls).toHaveLength(1);
    queue.add(KEY);
    await clock.advance(0);
    expect(outcomes).toEqual(['given-up', 'done']);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { controller: 'widgets', name: 'a' } }]);
  });

  it('that throws before its first await is no different', async () => {
    const { clock, queue, outcomes } = setup(() => {
      throw new Error('at once');
    });
    queue.add(KEY);
    await clock.advance(0);
    expect(outcomes).toEqual(['retried']);
  });
});

describe('workers', () => {
  it('work on different keys side by side, and stop after what they have begun', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const { queue, stop, finished } = setup(async (key) => {
      begun.push(key.name);
      await gate.promise;
      return {};
    });
    for (const name of ['a', 'b', 'c']) {
      queue.add({ namespace: 'team', name });
    }
    await settle();
    expect(begun).toEqual(['a', 'b']);
    let ended = false;
    stop.abort();
    void finished.then(() => {
      ended = true;
    });
    await settle();
    expect(ended).toBe(false);
    gate.resolve();
    await finished;
    expect(begun).toEqual(['a', 'b']);
  });

  it('end at once when the signal was aborted before', async () => {
    const clock = createFakeClock();
    const queue = new WorkQueue({ clock, random: () => 1 });
    const reconcile = () => expect.unreachable('nothing is reconciled');
    const options = {
      name: 'x',
      queue,
      workers: 3,
      reconcile,
      clock,
      random: () => 1,
      logger: createRecordingLogger(),
    };
    queue.add(KEY);
    await createController(options).run(AbortSignal.abort());
  });

  it('do not count an aborted reconcile as a failure', async () => {
    const { queue, stop, outcomes, finished, logger } = setup(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(errorWith('Aborted')))),
    );
    queue.add(KEY);
    await settle();
    stop.abort();
    await finished;
    expect(outcomes).toEqual(['aborted']);
    expect(logger.lines).toEqual([]);
  });
});
