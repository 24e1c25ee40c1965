/** Controller, queue and client together, against everything an answer to a write can be: done once, in time, and no faster than is fair. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OUTAGE_MAX_MS } from '../kube/backoff.ts';
import type { Client } from '../kube/client.ts';
import { createClient } from '../kube/create-client.ts';
import { isKubeError } from '../kube/errors.ts';
import { drive, driveFor } from '../kube/testing/drive.ts';
import { type FakeApi, startFakeApi } from '../kube/testing/fake-api.ts';
import { createFakeClock, type FakeClock } from '../kube/testing/fake-clock.ts';
import type { SeenRequest } from '../kube/testing/fake-handlers.ts';
import { FAULT_CASES } from '../kube/testing/faults.ts';
import { WIDGETS, WIDGETS_PATH, widget } from '../kube/testing/fixtures.ts';
import { createRecordingLogger } from '../kube/testing/recording-logger.ts';
import { createController } from './controller.ts';
import { WorkQueue } from './workqueue.ts';

const KEY = { namespace: 'team', name: 'a' };
const MANAGER = { fieldManager: 'tester' };

let clock: FakeClock;
let api: FakeApi;
let client: Client;
let queue: WorkQueue;
let stop: AbortController;
let finished: Promise<void>;

beforeEach(async () => {
  clock = createFakeClock();
  api = await startFakeApi({ now: clock.monotonicMs });
  client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: 5000, clock });
  queue = new WorkQueue({ clock, random: () => 0.5 });
  stop = new AbortController();
  const options = { name: 'widgets', queue, workers: 2, reconcile, clock, random: () => 0.5 };
  finished = createController({ ...options, logger: createRecordingLogger() }).run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await finished;
  await client.close();
  await api.close();
});

/** Two writes, as a real one: an output that is created once, and a status. */
async function reconcile(_: object, signal: AbortSignal): Promise<object> {
  await client.create(WIDGETS, widget('a'), { ...MANAGER, signal }).catch((error: unknown) => {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  });
  // What a cache tells of our own write comes back as an event while the reconcile still runs.
  queue.add(KEY);
  await client.mergePatch(WIDGETS, KEY, { status: 'done' }, { ...MANAGER, subresource: 'status', signal });
  return {};
}

const created = (request: SeenRequest) => request.method === 'POST';
const statusWritten = (request: SeenRequest) => request.method === 'PATCH';
const stored = () => api.collection(WIDGETS_PATH);
const done = () => drive(clock, () => expect(stored().objects.get('a')).toMatchObject({ status: 'done' }));

describe('a write that fails three times', () => {
  const operations = [
    { operation: 'create', matches: created },
    { operation: 'status', matches: statusWritten },
  ];
  // What is final waits for an event, by design: see controller.test.ts.
  const cases = operations.flatMap((operation) =>
    FAULT_CASES.filter(({ retry }) => retry !== 'never').map((faultCase) => ({ ...operation, ...faultCase })),
  );

  it.each(cases)('$operation: $name', async ({ matches, fault, retry, reason }) => {
    // The client itself tries twice after a 401.
    api.fault(matches, fault, reason === 'Unauthorized' ? 6 : 3);
    queue.add(KEY);
    await done();
    expect(stored().history.filter(({ type }) => type === 'ADDED')).toHaveLength(1);
    const times = api.requests.filter(matches).map(({ atMs }) => atMs);
    if (typeof retry !== 'object') return;
    const gaps = times.slice(1, 4).map((atMs, index) => atMs - (times[index] ?? 0));
    for (const gap of gaps) {
      expect(gap).toBeGreaterThanOrEqual(retry.afterMs);
      expect(gap).toBeLessThanOrEqual(retry.afterMs * 1.1);
    }
  });
});

describe('a server that is away for long', () => {
  it('is back in use soon after it is back', async () => {
    let away = true;
    api.fault(() => away, { kind: 'close' }, 10_000);
    queue.add(KEY);
    await driveFor(clock, 600_000);
    away = false;
    const backAtMs = clock.monotonicMs();
    await done();
    expect(clock.monotonicMs() - backAtMs).toBeLessThanOrEqual(OUTAGE_MAX_MS + 100);
    const tries = api.requests.filter(({ atMs }) => atMs > 60_000 && atMs < 600_000);
    expect(tries.length).toBeLessThanOrEqual(540_000 / (OUTAGE_MAX_MS / 2));
  });
});
