/** The election over real sockets, against everything an answer about the Lease can do: one leader, as soon as it may be, and never two. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import { createElector, type ElectionEnd, type Elector } from './lease.ts';
import { drive, driveFor } from './testing/drive.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
import type { SeenRequest } from './testing/fake-handlers.ts';
import { statusBody } from './testing/fake-status.ts';
import { FAULT_CASES } from './testing/faults.ts';
import { createRecordingLogger, type RecordingLogger } from './testing/recording-logger.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ops/leases';

let clock: FakeClock;
let api: FakeApi;
let client: Client;
let stop: AbortController;
let logger: RecordingLogger;
let ended: Promise<ElectionEnd>;

beforeEach(async () => {
  clock = createFakeClock();
  api = await startFakeApi({ now: clock.monotonicMs });
  client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: 30_000, clock });
  stop = new AbortController();
  logger = createRecordingLogger();
});

afterEach(async () => {
  stop.abort();
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await drive(clock, () => expect(isOver).toBe(true));
  await client.close();
  await api.close();
});

function start(): Elector {
  const elector = createElector({
    client,
    namespace: 'ops',
    name: 'lock',
    identity: 'a',
    fieldManager: 'tester',
    clock,
    random: () => 0,
    logger,
  });
  ended = elector.run(stop.signal, {
    onStartedLeading: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    onStoppedLeading: () => undefined,
  });
  return elector;
}

const leads = (elector: Elector) => drive(clock, () => expect(elector.isLeading()).toBe(true));
const letPass = (ms: number) => driveFor(clock, ms);
const failures = () => logger.lines.filter(({ level }) => level === 'warn').length;
const byMethod = (method: string) => (request: SeenRequest) => request.method === method;
const holders = () =>
  api.collection(LEASES).history.map(({ object }) => (object.spec as { holderIdentity?: string }).holderIdentity);

describe('a candidate', () => {
  const operations = [
    { operation: 'get', matches: byMethod('GET') },
    { operation: 'create', matches: byMethod('POST') },
  ];
  const cases = operations
    .flatMap((operation) => FAULT_CASES.map((faultCase) => ({ ...operation, ...faultCase })))
    // That there is no Lease is no fault: it is created.
    .filter(({ operation, reason }) => operation !== 'get' || reason !== 'NotFound');

  it.each(cases)('leads in the end: $operation: $name', async ({ matches, fault, retry }) => {
    api.fault((request) => matches(request) && failures() < 3, fault, 1000);
    const elector = start();
    await leads(elector);
    expect(api.collection(LEASES).history.filter(({ type }) => type === 'ADDED')).toHaveLength(1);
    const tries = api.requests.filter(byMethod('GET')).map(({ atMs }) => atMs);
    const gaps = tries.slice(1).map((atMs, index) => atMs - (tries[index] ?? 0));
    const least = typeof retry === 'object' ? Math.max(retry.afterMs, 2000) : 2000;
    for (const gap of gaps.filter((ms) => ms > 0)) expect(gap).toBeGreaterThanOrEqual(least);
    if (typeof retry === 'object') expect(Math.max(...gaps)).toBeLessThanOrEqual(least * 1.1);
  });
});

describe('a leader', () => {
  const named = FAULT_CASES.filter(({ retry }) => typeof retry === 'object' && retry.afterMs > 10_000);
  const passing = FAULT_CASES.filter((faultCase) => !named.includes(faultCase));

  it.each(passing)('goes on leading after one renewal with: $name', async ({ fault, reason }) => {
    const elector = start();
    await leads(elector);
    // The client itself tries twice after a 401.
    api.fault(byMethod('PATCH'), fault, reason === 'Unauthorized' ? 2 : 1);
    await letPass(30_000);
    expect(elector.isLeading()).toBe(true);
    expect(api.requests.filter(byMethod('PATCH')).length).toBeGreaterThan(8);
    expect(new Set(holders())).toEqual(new Set(['a']));
  });

  it('renews when the server said that it may, not before', async () => {
    const elector = start();
    await leads(elector);
    const body = statusBody(429, 'TooManyRequests', 'on purpose');
    api.fault(byMethod('PATCH'), { kind: 'respond', status: 429, body, headers: { 'retry-after': '5' } });
    await letPass(12_000);
    const [refused = 0, next = 0] = api.requests.filter(byMethod('PATCH')).map(({ atMs }) => atMs);
    expect(next - refused).toBeGreaterThanOrEqual(5000);
    expect(next - refused).toBeLessThanOrEqual(5500);
    expect(elector.isLeading()).toBe(true);
  });

  it.each(named)('stops in time when it may not ask until its lease is over: $name', async ({ fault }) => {
    const elector = start();
    await leads(elector);
    const leadsSinceMs = clock.monotonicMs();
    api.fault(byMethod('PATCH'), fault, 1000);
    expect(await endOf()).toBe('lost');
    expect(elector.isLeading()).toBe(false);
    expect(clock.monotonicMs() - leadsSinceMs).toBeLessThanOrEqual(10_100);
    expect(api.requests.filter(byMethod('PATCH'))).toHaveLength(1);
  });
});

async function endOf(): Promise<ElectionEnd | undefined> {
  let end: ElectionEnd | undefined;
  void ended.then((value) => {
    end = value;
  });
  await drive(clock, () => expect(end).toBeDefined());
  return end;
}
