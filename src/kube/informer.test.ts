import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WIDGETS_PATH, type widget } from './testing/fixtures.ts';
import { type InformerFixture, namesOf, startInformerFixture } from './testing/informer-fixture.ts';

let fixture: InformerFixture;

beforeEach(async () => {
  fixture = await startInformerFixture();
});

afterEach(() => fixture.stop());

describe('the cache', () => {
  it('lists in pages, then follows the watch', async () => {
    const { api, put, start, until, caughtUp } = fixture;
    put('a');
    const informer = start();
    await until(() => expect(informer.hasSynced).toBe(true));
    expect(namesOf(informer)).toEqual(['a']);
    put('b');
    api.collection(WIDGETS_PATH).remove('a');
    await caughtUp(informer);
    expect(namesOf(informer)).toEqual(['b']);
    expect(api.requests[0]?.query.get('limit')).toBe('500');
  });

  it('is frozen all the way down and holds what the transform leaves', async () => {
    fixture.put('a', { spec: { list: [{ x: 1 }] }, noise: 1 });
    const informer = fixture.start({
      transform: ({ noise: _, ...rest }) => rest as typeof rest & ReturnType<typeof widget>,
    });
    await fixture.until(() => expect(informer.hasSynced).toBe(true));
    const object = informer.get('a');
    expect(object).not.toHaveProperty('noise');
    const spec = object?.spec as { list: { x: number }[] };
    expect(() => Object.assign(spec.list[0] ?? {}, { x: 2 })).toThrow(TypeError);
  });

  it('goes on when a handler or the transform throws', async () => {
    const { put, start, until, count, changes } = fixture;
    put('a');
    const informer = start({ transform: (object) => (object.metadata.name === 'a' ? fail() : object) });
    informer.onChange(() => fail());
    // An async handler fits the type once it is hidden behind a void signature.
    informer.onChange((() => Promise.reject(new Error('rejected on purpose'))) as () => void);
    await fixture.connected(informer);
    put('b');
    await until(() => expect(namesOf(informer)).toEqual(['a', 'b']));
    await until(() => expect(count('handler-error')).toBe(5));
    expect(changes).toHaveLength(2);
  });

  it('shows our own write before the watch does, once', async () => {
    const { put, start, until, count, changes, openWatch } = fixture;
    const informer = start();
    const watch = await openWatch();
    watch.mute();
    informer.observe(put('a'));
    expect(namesOf(informer)).toEqual(['a']);
    watch.end();
    await until(() => expect(count('watch')).toBe(2));
    put('b');
    await until(() => expect(namesOf(informer)).toEqual(['a', 'b']));
    expect(changes.filter((change) => change.name === 'a')).toHaveLength(1);
  });
});

describe('a list that is refused', () => {
  it('is shown as forbidden, keeps what is known, and heals', async () => {
    const { api, put, start, until, openWatch, connected } = fixture;
    put('a');
    const informer = start();
    await connected(informer);
    const watch = await openWatch();
    let allowed = false;
    api.fault(() => !allowed, { kind: 'respond', status: 403, body: {} }, 1000);
    watch.end();
    await until(() => expect(informer.health()).toMatchObject({ forbidden: true, connected: false, synced: true }));
    expect(namesOf(informer)).toEqual(['a']);
    allowed = true;
    await until(() => expect(informer.health()).toMatchObject({ forbidden: false, connected: true }));
    expect(informer.health()).toMatchObject({ lastError: undefined, consecutiveFailures: 0 });
  });
});

describe('an API that is not served', () => {
  it('counts as synced and empty, and becomes live when it appears', async () => {
    const { api, put, start, until, connected } = fixture;
    api.setServed(WIDGETS_PATH, false);
    const informer = start();
    await until(() => expect(informer.hasSynced).toBe(true));
    expect(informer.health()).toMatchObject({ absent: true, connected: false, forbidden: false });
    put('a');
    api.setServed(WIDGETS_PATH, true);
    await connected(informer);
    expect(informer.health().absent).toBe(false);
    expect(namesOf(informer)).toEqual(['a']);
  });

  it('loses its objects, with changes, when it goes away', async () => {
    const { api, put, start, until, connected, changes } = fixture;
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
