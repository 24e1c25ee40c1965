import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from './client.ts';
import { systemClock } from './clock.ts';
import { createClient } from './create-client.ts';
import { createInformer, type Informer, type InformerActivity, type InformerOptions } from './informer.ts';
import type { Change } from './store.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { statusBody } from './testing/fake-status.ts';
import type { WatchStream } from './testing/fake-watch.ts';
import { WIDGETS, WIDGETS_PATH, widget } from './testing/fixtures.ts';
import { createRecordingLogger } from './testing/recording-logger.ts';

const isList = (request: { method: string; isWatch: boolean }) => request.method === 'GET' && !request.isWatch;
const isWatch = (request: { isWatch: boolean }) => request.isWatch;

let api: FakeApi;
let client: Client;
let stop: AbortController;
let finished: Promise<void>;
let activities: InformerActivity[];
let changes: Change[];

beforeEach(async () => {
  api = await startFakeApi();
  client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: 500 });
  stop = new AbortController();
  finished = Promise.resolve();
  activities = [];
  changes = [];
});

afterEach(async () => {
  stop.abort();
  await finished;
  await client.close();
  await api.close();
});

function start(options: Partial<InformerOptions> = {}): Informer {
  const informer = createInformer({
    client,
    resource: WIDGETS,
    namespace: 'team',
    clock: systemClock(),
    random: () => 0.5,
    logger: createRecordingLogger(),
    timing: {
      backoff: { minMs: 10, maxMs: 40 },
      minWatchIntervalMs: 10,
      watchSeconds: { min: 60, max: 60 },
      idleTimeoutMs: 5000,
    },
    onActivity: (activity) => activities.push(activity),
    ...options,
  });
  informer.onChange((change) => changes.push(change));
  finished = informer.run(stop.signal);
  return informer;
}

const put = (name: string, fields?: Record<string, unknown>) => api.collection(WIDGETS_PATH).put(widget(name, fields));
const names = (informer: Informer) => informer.list().map((object) => object.metadata.name);
const until = (condition: () => void) => vi.waitFor(condition, { timeout: 4000, interval: 5 });
const connected = (informer: Informer) => until(() => expect(informer.health().connected).toBe(true));
const count = (activity: InformerActivity) => activities.filter((seen) => seen === activity).length;

async function openWatch(): Promise<WatchStream> {
  return until(() => {
    expect(api.watches.size).toBe(1);
  }).then(() => [...api.watches][0] ?? expect.unreachable('a watch is open'));
}

describe('the cache', () => {
  it('lists in pages, then follows the watch', async () => {
    put('a');
    const informer = start();
    await informer.synced;
    expect(names(informer)).toEqual(['a']);
    put('b');
    api.collection(WIDGETS_PATH).remove('a');
    await until(() => expect(names(informer)).toEqual(['b']));
    expect(informer.hasSynced).toBe(true);
    expect(api.requests[0]?.query.get('limit')).toBe('500');
  });

  it('is frozen all the way down and holds what the transform leaves', async () => {
    put('a', { spec: { list: [{ x: 1 }] }, noise: 1 });
    const informer = start({ transform: ({ noise: _, ...rest }) => rest as typeof rest & ReturnType<typeof widget> });
    await informer.synced;
    const object = informer.get('a');
    expect(object).not.toHaveProperty('noise');
    const spec = object?.spec as { list: { x: number }[] };
    expect(() => Object.assign(spec.list[0] ?? {}, { x: 2 })).toThrow(TypeError);
  });

  it('goes on when a handler or the transform throws', async () => {
    put('a');
    const informer = start({ transform: (object) => (object.metadata.name === 'a' ? fail() : object) });
    informer.onChange(() => fail());
    // An async handler fits the type once it is hidden behind a void signature.
    informer.onChange((() => Promise.reject(new Error('rejected on purpose'))) as () => void);
    await informer.synced;
    put('b');
    await until(() => expect(names(informer)).toEqual(['a', 'b']));
    await until(() => expect(count('handler-error')).toBe(5));
    expect(changes).toHaveLength(2);
  });

  it('shows our own write before the watch does, once', async () => {
    const informer = start();
    await informer.synced;
    const watch = await openWatch();
    watch.mute();
    informer.observe(put('a'));
    expect(names(informer)).toEqual(['a']);
    watch.end();
    await until(() => expect(count('watch')).toBe(2));
    put('b');
    await until(() => expect(names(informer)).toEqual(['a', 'b']));
    expect(changes.filter((change) => change.name === 'a')).toHaveLength(1);
  });
});

describe('a broken watch', () => {
  it.each([
    ['ended', (watch: WatchStream) => watch.end()],
    ['reset', (watch: WatchStream) => watch.destroy()],
    ['given broken JSON', (watch: WatchStream) => watch.write('{\n')],
    ['given ERROR 500', (watch: WatchStream) => watch.send({ type: 'ERROR', object: statusBody(500, '', 'x') })],
  ])('is resumed without a list when %s', async (_, breakIt) => {
    const informer = start();
    await informer.synced;
    const watch = await openWatch();
    put('a');
    await until(() => expect(names(informer)).toEqual(['a']));
    breakIt(watch);
    put('b');
    await until(() => expect(names(informer)).toEqual(['a', 'b']));
    expect(count('list')).toBe(1);
    expect(changes).toHaveLength(2);
  });

  it('is torn down when it is silent for too long', async () => {
    const informer = start({
      timing: {
        backoff: { minMs: 10, maxMs: 40 },
        minWatchIntervalMs: 10,
        watchSeconds: { min: 60, max: 60 },
        idleTimeoutMs: 80,
      },
    });
    await informer.synced;
    (await openWatch()).mute();
    put('a');
    await until(() => expect(names(informer)).toEqual(['a']));
    expect(count('list')).toBe(1);
  });

  it('is opened at most once per interval, even when it ends at once', async () => {
    api.fault(
      isWatch,
      { kind: 'respond', status: 200, body: '', headers: { 'content-type': 'application/json' } },
      1000,
    );
    const started = performance.now();
    const informer = start();
    await until(() => expect(count('watch')).toBe(8));
    // 10 ms, then 20, then 40 each, of which at least half: a loop without pacing needs a few milliseconds for all of them.
    expect(performance.now() - started).toBeGreaterThan(100);
    expect(informer.health().lastError?.reason).toBe('Transport');
    expect(count('list')).toBe(1);
  });

  it('is not confused by doubled and reordered events', async () => {
    const informer = start();
    await informer.synced;
    const watch = await openWatch();
    const first = put('a', { spec: 1 });
    const second = put('a', { spec: 2 });
    watch.send({ type: 'MODIFIED', object: second });
    watch.send({ type: 'MODIFIED', object: first });
    put('z');
    await until(() => expect(names(informer)).toEqual(['a', 'z']));
    expect(informer.get('a')?.spec).toBe(2);
    expect(changes).toHaveLength(3);
  });

  it('resumes from a bookmark', async () => {
    const informer = start();
    await informer.synced;
    const watch = await openWatch();
    watch.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '5000' } } });
    watch.end();
    await until(() => expect(count('watch')).toBe(2));
    expect((await openWatch()).from).toBe(5000);
  });
});

describe('410', () => {
  it('on opening the watch leads to one list and reports only what differs', async () => {
    put('a');
    put('b');
    const informer = start();
    await informer.synced;
    const watch = await openWatch();
    watch.mute();
    put('c');
    api.collection(WIDGETS_PATH).remove('a');
    api.collection(WIDGETS_PATH).compactedBefore = 104;
    changes.length = 0;
    watch.end();
    await until(() => expect(names(informer)).toEqual(['b', 'c']));
    expect(count('list')).toBe(2);
    expect(changes.map((change) => change.name).sort()).toEqual(['a', 'c']);
  });

  it('as a status leads to one list too', async () => {
    api.fault(isWatch, { kind: 'respond', status: 410, body: statusBody(410, 'Expired', 'old') });
    const informer = start();
    await connected(informer);
    expect(count('list')).toBe(2);
    expect(changes).toEqual([]);
  });

  it('again and again is paced', async () => {
    api.fault(isWatch, { kind: 'respond', status: 410, body: statusBody(410, 'Expired', 'old') }, 1000);
    const started = performance.now();
    start();
    await until(() => expect(count('list')).toBe(8));
    expect(performance.now() - started).toBeGreaterThan(100);
  });
});

describe('a refused or failing list', () => {
  it.each([
    ['500', { kind: 'respond', status: 500, body: statusBody(500, '', 'x') }],
    ['HTML with 200', { kind: 'respond', status: 200, body: '<html>' }],
    ['a reset', { kind: 'close' }],
    ['no answer', { kind: 'stall' }],
  ] as const)('is tried again after %s', async (_, fault) => {
    put('a');
    api.fault(isList, fault, 2);
    const informer = start();
    await informer.synced;
    expect(names(informer)).toEqual(['a']);
    expect(count('failure')).toBe(2);
  });

  it('waits as long as the server asks', async () => {
    const headers = { 'retry-after': '1' };
    api.fault(isList, { kind: 'respond', status: 429, body: statusBody(429, 'TooManyRequests', 'x'), headers });
    const started = performance.now();
    await start().synced;
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect(performance.now() - started).toBeLessThan(1400);
  });

  it('is shown as forbidden, keeps what is known, and heals', async () => {
    put('a');
    const informer = start();
    await connected(informer);
    const watch = await openWatch();
    let allowed = false;
    api.fault(() => !allowed, { kind: 'respond', status: 403, body: statusBody(403, 'Forbidden', 'no') }, 1000);
    watch.end();
    await until(() => expect(informer.health()).toMatchObject({ forbidden: true, connected: false, synced: true }));
    expect(names(informer)).toEqual(['a']);
    allowed = true;
    await until(() => expect(informer.health()).toMatchObject({ forbidden: false, connected: true }));
    expect(informer.health()).toMatchObject({ lastError: undefined, consecutiveFailures: 0 });
  });

  it('asks for a list when the server insists that our version is in its future', async () => {
    const informer = start();
    await connected(informer);
    const future = statusBody(504, 'Timeout', 'Too large resource version');
    api.fault(isWatch, { kind: 'respond', status: 504, body: future }, 5);
    (await openWatch()).end();
    await until(() => expect(count('list')).toBe(2));
    await connected(informer);
  });
});

describe('an API that is not served', () => {
  it('counts as synced and empty, and becomes live when it appears', async () => {
    api.setServed(WIDGETS_PATH, false);
    const informer = start();
    await informer.synced;
    expect(informer.health()).toMatchObject({ absent: true, connected: false, forbidden: false });
    put('a');
    api.setServed(WIDGETS_PATH, true);
    await connected(informer);
    expect(informer.health().absent).toBe(false);
    expect(names(informer)).toEqual(['a']);
  });

  it('loses its objects, with changes, when it goes away', async () => {
    put('a');
    const informer = start();
    await connected(informer);
    api.setServed(WIDGETS_PATH, false);
    await until(() => expect(informer.health().absent).toBe(true));
    expect(informer.list()).toEqual([]);
    expect(changes.at(-1)).toMatchObject({ name: 'a', previous: {} });
    expect(changes.at(-1)).not.toHaveProperty('current');
  });
});

function fail(): never {
  throw new Error('broken on purpose');
}
