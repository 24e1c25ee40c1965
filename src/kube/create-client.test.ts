import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import type { KubeError } from './errors.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { statusBody } from './testing/fake-status.ts';
import { PATIENT_MS, WIDGETS, WIDGETS_PATH, widget } from './testing/fixtures.ts';
import type { RequestObservation } from './transport.ts';
import type { WatchEvent } from './types.ts';

const MANAGER = { fieldManager: 'tester' };
const ANY = () => true;

let api: FakeApi;
let client: Client;
let observations: RequestObservation[];

beforeEach(async () => {
  api = await startFakeApi();
  observations = [];
  client = clientFor(api);
});

afterEach(async () => {
  await client.close();
  await api.close();
});

function clientFor(server: FakeApi, user?: Record<string, unknown>): Client {
  return createClient({
    kubeConfig: server.kubeConfig(user),
    userAgent: 'tester/1.0',
    requestTimeoutMs: PATIENT_MS,
    onRequest: (observation) => observations.push(observation),
  });
}

async function failureOf(call: Promise<unknown>): Promise<KubeError> {
  return call.then(
    () => expect.unreachable('the call should have failed'),
    (error: KubeError) => error,
  );
}

describe('requests', () => {
  it('reads an object untouched, with names in their own case and percent-encoded', async () => {
    api.collection(WIDGETS_PATH).put(widget('Foo:Bar', { spec: { unknownTop: [1, { deep: null }] } }));
    const object = await client.get(WIDGETS, { namespace: 'team', name: 'Foo:Bar' });
    expect(object.spec).toEqual({ unknownTop: [1, { deep: null }] });
    expect(api.requests[0]?.path).toBe(`${WIDGETS_PATH}/Foo%3ABar`);
    expect(api.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer secret-token',
      'user-agent': 'tester/1.0',
    });
  });

  it.each(['..', '.', '', 'a/b', 'a%2Fb'])('refuses the name %j before anything is sent', async (name) => {
    const error = await failureOf(client.get(WIDGETS, { namespace: 'team', name }));
    expect(error.reason).toBe('Invalid');
    expect(api.requests).toHaveLength(0);
  });

  it('sends every write with strict field validation and a field manager, the body as given', async () => {
    const created = await client.create(WIDGETS, widget('a', { spec: { x: 1 } }), MANAGER);
    await client.apply(WIDGETS, widget('a', { spec: { x: 2 } }), { ...MANAGER, force: false });
    const ref = { namespace: 'team', name: 'a' };
    await client.mergePatch(WIDGETS, ref, { status: { ok: true } }, { ...MANAGER, subresource: 'status' });
    await client.delete(WIDGETS, ref, { uid: created.metadata.uid ?? '' });
    const [post, apply, patch, remove] = api.requests;
    for (const request of [post, apply, patch]) {
      expect(request?.query.get('fieldValidation')).toBe('Strict');
      expect(request?.query.get('fieldManager')).toBe('tester');
    }
    expect(apply?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(apply?.query.get('force')).toBe('false');
    expect(apply?.body).toEqual(widget('a', { spec: { x: 2 } }));
    expect(patch?.path).toBe(`${WIDGETS_PATH}/a/status`);
    expect(remove?.body).toMatchObject({ preconditions: { uid: created.metadata.uid } });
  });

  it('refuses to send an object to the path of another kind', async () => {
    const error = await failureOf(client.create(WIDGETS, { ...widget('a'), kind: 'Gadget' }, MANAGER));
    expect(error.reason).toBe('Invalid');
    expect(api.requests).toHaveLength(0);
  });

  it('reuses its connections', async () => {
    api.collection(WIDGETS_PATH).put(widget('a'));
    for (let call = 0; call < 10; call += 1) {
      await client.get(WIDGETS, { namespace: 'team', name: 'a' });
    }
    // Two, because undici may ask for a connection just before the last answer has given its own back.
    expect(api.connections).toBeLessThanOrEqual(2);
  });

  it('says whether a delete removed the object or finalizers hold it', async () => {
    const free = api.collection(WIDGETS_PATH).put(widget('free'));
    const held = api
      .collection(WIDGETS_PATH)
      .put({ ...widget('held'), metadata: { name: 'held', namespace: 'team', finalizers: ['example.test/wait'] } });
    const remove = (name: string, uid = '') => client.delete(WIDGETS, { namespace: 'team', name }, { uid });
    expect(await remove('free', free.metadata.uid)).toEqual({ removed: true });
    expect(await remove('held', held.metadata.uid)).toEqual({ removed: false });
  });

  it('does not delete another incarnation', async () => {
    api.collection(WIDGETS_PATH).put(widget('a'));
    const error = await failureOf(client.delete(WIDGETS, { namespace: 'team', name: 'a' }, { uid: 'other' }));
    expect(error.reason).toBe('Conflict');
    expect(api.collection(WIDGETS_PATH).objects.has('a')).toBe(true);
  });

  it('reports each call to the metrics hook without names', async () => {
    api.collection(WIDGETS_PATH).put(widget('a'));
    await client.get(WIDGETS, { namespace: 'team', name: 'a' });
    await failureOf(client.get(WIDGETS, { namespace: 'team', name: 'b' }));
    const ref = { namespace: 'team', name: 'a' };
    await client.mergePatch(WIDGETS, ref, { status: {} }, { ...MANAGER, subresource: 'status' });
    api.fault(ANY, { kind: 'close' });
    await failureOf(client.get(WIDGETS, { namespace: 'team', name: 'a' }));
    expect(observations.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`)).toEqual([
      'get widgets.example.test 200',
      'get widgets.example.test 404',
      'patch widgets.example.test/status 200',
      'get widgets.example.test Transport',
    ]);
  });
});

describe('discovery', () => {
  it('reads a path of the API', async () => {
    api.fault((request) => request.path === '/openapi/v3', { kind: 'respond', status: 200, body: { paths: {} } });
    expect(await client.getJson('/openapi/v3?hash=A%2F1')).toEqual({ paths: {} });
  });

  it('takes JSON that the server calls plain text, as it does for the OpenAPI index, and only there', async () => {
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    api.fault(ANY, { kind: 'respond', status: 200, body: '{"paths":{}}', headers }, 2);
    expect(await client.getJson('/openapi/v3')).toEqual({ paths: {} });
    expect((await failureOf(client.get(WIDGETS, { namespace: 'team', name: 'a' }))).reason).toBe('Malformed');
  });

  it.each(['//evil.test/x', 'http://evil.test', '/api/../secret', '/a b', ''])('refuses %j', async (path) => {
    expect((await failureOf(client.getJson(path))).reason).toBe('Invalid');
    expect(api.requests).toHaveLength(0);
  });
});

describe('list', () => {
  const list = (limit: number) => client.list(WIDGETS, { namespace: 'team', limit });

  beforeEach(() => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      api.collection(WIDGETS_PATH).put(widget(name));
    }
  });

  it('follows every page', async () => {
    const { items, resourceVersion } = await list(2);
    expect(items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(resourceVersion).toBe('105');
    expect(api.requests).toHaveLength(3);
  });

  it('starts over once when a page has expired', async () => {
    const expired = { kind: 'respond', status: 410, body: statusBody(410, 'Expired', 'expired') } as const;
    api.fault((request) => request.query.has('continue'), expired);
    expect((await list(2)).items).toHaveLength(5);
    expect(api.requests).toHaveLength(5);
  });

  it('gives up when pages go on expiring', async () => {
    const expired = { kind: 'respond', status: 410, body: statusBody(410, 'Expired', 'expired') } as const;
    api.fault((request) => request.query.has('continue'), expired, 10);
    expect((await failureOf(list(2))).reason).toBe('Gone');
    expect(api.requests).toHaveLength(4);
  });

  it('fills in the kind that items of built-in lists leave out', async () => {
    const items = [{ metadata: { name: 'x' } }];
    api.fault(ANY, { kind: 'respond', status: 200, body: { metadata: { resourceVersion: '1' }, items } });
    expect((await list(2)).items[0]).toMatchObject({ apiVersion: 'example.test/v1', kind: 'Widget' });
  });
});

describe('watch', () => {
  async function collect(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    const stream = client.watch(WIDGETS, {
      namespace: 'team',
      resourceVersion: '100',
      timeoutSeconds: 60,
      idleTimeoutMs: PATIENT_MS,
      onOpen: () => opened.resolve(),
    });
    for await (const event of stream) {
      events.push(event);
      if (events.length === count) {
        break;
      }
    }
    return events;
  }
  let opened: PromiseWithResolvers<void>;
  beforeEach(() => {
    opened = Promise.withResolvers<void>();
  });
  const firstWatch = () => [...api.watches][0] ?? expect.unreachable('no watch is open');

  it('asks for bookmarks and an end, and yields events and bookmarks', async () => {
    api.collection(WIDGETS_PATH).put(widget('a'));
    const events = collect(2);
    await opened.promise;
    firstWatch().send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '200' } } });
    expect(await events).toMatchObject([
      { type: 'ADDED', object: { metadata: { name: 'a' } } },
      { type: 'BOOKMARK', resourceVersion: '200' },
    ]);
    expect(Object.fromEntries(api.requests[0]?.query ?? [])).toMatchObject({
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: '60',
    });
  });

  it('puts a character together that arrives in two pieces', async () => {
    const events = collect(1);
    await opened.promise;
    const line = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: widget('a', { spec: 'größe€' }) })}\n`);
    const cut = line.indexOf(Buffer.from('€')) + 1;
    firstWatch().write(line.subarray(0, cut));
    setImmediate(() => firstWatch().write(line.subarray(cut)));
    expect(await events).toMatchObject([{ object: { spec: 'größe€' } }]);
  });

  it('drops a line that the connection cut, instead of guessing', async () => {
    const events = collect(1);
    await opened.promise;
    firstWatch().write('{"type":"ADDED","object":{"apiV');
    firstWatch().end();
    expect(await events).toEqual([]);
  });

  it.each([
    ['broken JSON', '{"type":\n', 'Malformed'],
    ['an unknown type', '{"type":"RENAMED","object":{}}\n', 'Malformed'],
    ['an object without a name', '{"type":"ADDED","object":{}}\n', 'Malformed'],
    ['an ERROR 410', `${JSON.stringify({ type: 'ERROR', object: statusBody(410, 'Expired', 'x') })}\n`, 'Gone'],
    ['an ERROR 500', `${JSON.stringify({ type: 'ERROR', object: statusBody(500, 'InternalError', 'x') })}\n`, 'Server'],
  ])('throws on %s', async (_, line, reason) => {
    const failed = failureOf(collect(1));
    await opened.promise;
    firstWatch().write(line);
    expect((await failed).reason).toBe(reason);
  });

  it('gives up a silent connection, and only a silent one', async () => {
    const clock = createFakeClock();
    const seen: WatchEvent[] = [];
    const patient = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: 1000, clock });
    const watched = (async () => {
      const target = { namespace: 'team', resourceVersion: '100', timeoutSeconds: 60, idleTimeoutMs: 5000 };
      for await (const event of patient.watch(WIDGETS, target)) {
        seen.push(event);
      }
    })();
    const failed = failureOf(watched);
    for (const name of ['a', 'b']) {
      await vi.waitFor(() => expect(clock.pendingTimers).toBe(1), PATIENT_MS);
      await vi.waitFor(() => expect(api.watches.size).toBe(1), PATIENT_MS);
      await clock.advance(4999);
      api.collection(WIDGETS_PATH).put(widget(name));
      await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ object: { metadata: { name } } }), PATIENT_MS);
    }
    await clock.advance(5000);
    expect((await failed).reason).toBe('Timeout');
    await patient.close();
  });

  it('throws on a reset', async () => {
    const failed = failureOf(collect(1));
    await opened.promise;
    firstWatch().destroy();
    expect((await failed).reason).toBe('Transport');
  });
});
