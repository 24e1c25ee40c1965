/** Every call of the client against every way in which an answer can go wrong. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client, WatchOptions } from './client.ts';
import { createClient } from './create-client.ts';
import type { KubeError } from './errors.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { FAULT_CASES } from './testing/faults.ts';
import { PATIENT_MS, WIDGETS, WIDGETS_PATH, widget } from './testing/fixtures.ts';

const REF = { namespace: 'team', name: 'a' };
const OTHER = { namespace: 'team', name: 'z' };
const WATCH: WatchOptions = {
  namespace: 'team',
  resourceVersion: '100',
  timeoutSeconds: 60,
  idleTimeoutMs: PATIENT_MS,
};
const ANY = () => true;
/** For the faults that only time ends. */
const SHORT_MS = 60;

interface Operation {
  readonly name: string;
  readonly writes: boolean;
  readonly hasBody: boolean;
  readonly call: (client: Client, timeoutMs: number) => Promise<unknown>;
}

const operations: readonly Operation[] = [
  {
    name: 'get',
    writes: false,
    hasBody: true,
    call: (client, timeoutMs) => client.get(WIDGETS, REF, { timeoutMs }),
  },
  {
    name: 'get metadata',
    writes: false,
    hasBody: true,
    call: (client, timeoutMs) => client.getMetadata(WIDGETS, REF, { timeoutMs }),
  },
  {
    name: 'list',
    writes: false,
    hasBody: true,
    call: (client, timeoutMs) => client.list(WIDGETS, { namespace: 'team', timeoutMs }),
  },
  { name: 'watch', writes: false, hasBody: false, call: firstEvent },
  {
    name: 'create',
    writes: true,
    hasBody: true,
    call: (client, timeoutMs) => client.create(WIDGETS, widget('b'), { fieldManager: 'tester', timeoutMs }),
  },
  {
    name: 'apply',
    writes: true,
    hasBody: true,
    call: (client, timeoutMs) => client.apply(WIDGETS, widget('a'), { fieldManager: 'tester', force: true, timeoutMs }),
  },
  {
    name: 'merge patch',
    writes: true,
    hasBody: true,
    call: (client, timeoutMs) => client.mergePatch(WIDGETS, REF, {}, { fieldManager: 'tester', timeoutMs }),
  },
  {
    name: 'delete',
    writes: true,
    hasBody: true,
    call: (client, timeoutMs) => client.delete(WIDGETS, REF, { uid: 'uid-1' }, { timeoutMs }),
  },
];

async function firstEvent(client: Client, timeoutMs: number): Promise<unknown> {
  for await (const event of client.watch(WIDGETS, { ...WATCH, timeoutMs })) return event;
  return undefined;
}

const cases = FAULT_CASES.flatMap((faultCase) =>
  operations
    .filter(({ hasBody }) => hasBody || faultCase.needsBody !== true)
    .map((operation) => ({ ...faultCase, operation, title: `${operation.name}: ${faultCase.name}` })),
);

async function failureOf(call: Promise<unknown>): Promise<KubeError> {
  return call.then(
    () => expect.unreachable('the call should have failed'),
    (error: KubeError) => error,
  );
}

describe('a call', () => {
  let api: FakeApi;
  let client: Client;

  beforeEach(async () => {
    api = await startFakeApi();
    client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: PATIENT_MS });
    for (const name of ['a', 'z']) api.collection(WIDGETS_PATH).put(widget(name));
  });

  afterEach(async () => {
    await client.close();
    await api.close();
  });

  it.each(cases)('$title', async ({ operation, fault, reason, unknown, ...faultCase }) => {
    // What a create does not find is the API itself, which may come back.
    const retry = reason === 'NotFound' && operation.name === 'create' ? 'backoff' : faultCase.retry;
    let broken = true;
    api.fault(() => broken, fault, 1000);
    const error = await failureOf(operation.call(client, reason === 'Timeout' ? SHORT_MS : PATIENT_MS));
    expect(error).toMatchObject({ reason, retry, outcomeUnknown: operation.writes && unknown });
    broken = false;
    expect((await client.get(WIDGETS, OTHER)).metadata.name).toBe('z');
  });

  it.each(operations)('$name: an answer that takes its time', async ({ call }) => {
    api.fault(ANY, { kind: 'delay', ms: SHORT_MS });
    await expect(call(client, PATIENT_MS)).resolves.toBeDefined();
  });

  it('leaves no connection behind when the answer is not the API’s', async () => {
    api.fault(ANY, { kind: 'respond', status: 200, body: `<html>${'x'.repeat(1024 * 1024)}` }, 20);
    for (let call = 0; call < 20; call += 1) {
      await failureOf(client.get(WIDGETS, OTHER));
    }
    await vi.waitFor(() => expect(api.openConnections).toBeLessThanOrEqual(1), PATIENT_MS);
  });
});
