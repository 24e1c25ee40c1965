/** The informer against everything a list, a watch and its stream can do: in the end it knows what the server knows, and has told it once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SeenRequest } from './testing/fake-handlers.ts';
import { statusBody } from './testing/fake-status.ts';
import { FAULT_CASES } from './testing/faults.ts';
import { WIDGETS_PATH, widget } from './testing/fixtures.ts';
import { type InformerFixture, startInformerFixture } from './testing/informer-fixture.ts';
import { line, STREAM_FAULTS } from './testing/stream-faults.ts';

const isWatch = (request: SeenRequest) => request.isWatch;
const isList = (request: SeenRequest) => request.method === 'GET' && !request.isWatch;
const isSecondPage = (request: SeenRequest) => isList(request) && request.query.has('continue');

let fixture: InformerFixture;

beforeEach(async () => {
  fixture = await startInformerFixture();
});

afterEach(() => fixture.stop());

/** Never more than two lists, or two watches, within a second: whatever goes wrong, the server is not hammered. */
function expectPaced(): void {
  for (const activity of ['list', 'watch'] as const) {
    const times = fixture.times(activity);
    expect(times.filter((atMs, index) => (times[index + 2] ?? Number.POSITIVE_INFINITY) - atMs < 1000)).toEqual([]);
  }
}

const operations = [
  { operation: 'list', matches: isList, bodies: true },
  { operation: 'second page', matches: isSecondPage, bodies: true },
  { operation: 'watch', matches: isWatch, bodies: false },
];

describe('a request that fails three times', () => {
  const cases = operations.flatMap((operation) =>
    FAULT_CASES.filter(({ needsBody }) => operation.bodies || needsBody !== true).map((faultCase) => ({
      ...operation,
      ...faultCase,
    })),
  );

  it.each(cases)('$operation: $name', async ({ matches, fault, retry }) => {
    const { api, put, start, caughtUp, connected, changes, count } = fixture;
    const objects = matches === isSecondPage ? 501 : 2;
    for (let i = 0; i < objects; i += 1) put(`w-${i}`);
    api.fault((request) => matches(request) && count('failure') < 3, fault, 1000);
    const informer = start();
    await connected(informer);
    put('last');
    await caughtUp(informer);
    expect(count('failure')).toBe(3);
    expect(changes.filter(({ current }) => current === undefined)).toEqual([]);
    expect(new Set(changes.map(({ name }) => name)).size).toBe(changes.length);
    expectPaced();
    if (typeof retry === 'object' && retry.afterMs > 1000) expectHonoured(api.requests, retry.afterMs);
  });
});

/** The gaps that the server asked for are there, and none of them is more than a tenth longer. */
function expectHonoured(requests: readonly SeenRequest[], afterMs: number): void {
  const gaps = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index]?.atMs ?? 0));
  const waits = gaps.filter((gap) => gap > 1000);
  expect(waits).toHaveLength(3);
  for (const wait of waits) {
    expect(wait).toBeGreaterThanOrEqual(afterMs);
    expect(wait).toBeLessThanOrEqual(afterMs * 1.1);
  }
}

describe('a watch that', () => {
  it.each(STREAM_FAULTS)('$name', async ({ breakIt, relists }) => {
    const { put, start, openWatch, connected, caughtUp, changes, count } = fixture;
    put('a', { spec: 'old' });
    put('b');
    const informer = start();
    await connected(informer);
    const watch = await openWatch();
    watch.mute();
    const changed = put('a', { spec: 'größe€' });
    breakIt({ ...watch, send: (event) => watch.write(line(event.type, event.object as object)) }, changed);
    await caughtUp(informer);
    expect(informer.get('a')?.spec).toBe('größe€');
    expect(changes.map(({ name }) => name)).toEqual(['a', 'b', 'a']);
    expect(count('list')).toBe(1 + relists);
    expectPaced();
  });

  it('tells of different objects in another order than it happened', async () => {
    const { put, start, openWatch, connected, caughtUp, changes } = fixture;
    put('a');
    put('b');
    const informer = start();
    await connected(informer);
    const watch = await openWatch();
    watch.mute();
    const a = put('a', { spec: 2 });
    const b = put('b', { spec: 2 });
    watch.write(line('MODIFIED', b));
    watch.write(line('MODIFIED', a));
    await caughtUp(informer);
    watch.end();
    put('c');
    await caughtUp(informer);
    expect(changes.map(({ name }) => name)).toEqual(['a', 'b', 'b', 'a', 'c']);
  });

  it('ends every second is opened once for each, and never listed again', async () => {
    const { api, clock, put, start, connected, caughtUp, until, count } = fixture;
    const informer = start();
    await connected(informer);
    const endAll = () => {
      for (const watch of api.watches) watch.end();
      clock.schedule(1000, endAll);
    };
    endAll();
    await until(() => expect(clock.monotonicMs()).toBeGreaterThan(60_000));
    put('a');
    await caughtUp(informer);
    expect(count('watch')).toBeLessThanOrEqual(63);
    expect(count('list')).toBe(1);
    expectPaced();
  });

  it('hears nothing but bookmarks for an hour resumes from the last of them', async () => {
    const { api, clock, start, connected, until, count } = fixture;
    const informer = start();
    await connected(informer);
    let version = 1000;
    const bookmark = () => {
      version += 1;
      for (const watch of api.watches) {
        watch.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } });
        if (version % 3 === 0) watch.end();
      }
      clock.schedule(15_000, bookmark);
    };
    bookmark();
    await until(() => expect(clock.monotonicMs()).toBeGreaterThan(600_000));
    await connected(informer);
    expect(Math.max(...[...api.watches].map(({ from }) => from))).toBeGreaterThan(1030);
    expect(count('list')).toBe(1);
  });
});

describe('410', () => {
  it('on opening the watch leads to one list and reports only what differs', async () => {
    const { api, put, start, openWatch, caughtUp, changes, count } = fixture;
    put('a');
    put('b');
    const informer = start();
    const watch = await openWatch();
    watch.mute();
    put('c');
    api.collection(WIDGETS_PATH).remove('a');
    api.collection(WIDGETS_PATH).compactedBefore = 104;
    changes.length = 0;
    watch.end();
    await caughtUp(informer);
    expect(count('list')).toBe(2);
    expect(changes.map((change) => change.name).sort()).toEqual(['a', 'c']);
  });

  it('with nothing changed reports nothing', async () => {
    const { api, put, start, openWatch, connected, changes, count, until } = fixture;
    put('a');
    const informer = start();
    const watch = await openWatch();
    api.collection(WIDGETS_PATH).compactedBefore = 102;
    api.collection('/api/v1/namespaces/other/pods').put(widget('elsewhere'));
    watch.end();
    await until(() => expect(count('list')).toBe(2));
    await connected(informer);
    expect(changes).toHaveLength(1);
  });
});

describe('a version from the future', () => {
  it('is given up for a list after a few tries', async () => {
    const { api, start, openWatch, connected, until, count } = fixture;
    const informer = start();
    await connected(informer);
    const future = statusBody(504, 'Timeout', 'Too large resource version');
    api.fault(isWatch, { kind: 'respond', status: 504, body: future }, 5);
    (await openWatch()).end();
    await until(() => expect(count('list')).toBe(2));
    await connected(informer);
  });
});
