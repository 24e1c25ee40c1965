import { describe, expect, it } from 'vitest';
import { compareResourceVersions } from './resource-version.ts';
import { Store } from './store.ts';
import { storedWidget } from './testing/fixtures.ts';
import type { KubeObject } from './types.ts';

function storeAt(resourceVersion: string, ...items: KubeObject[]): Store {
  const store = new Store();
  store.replace({ items, resourceVersion }, store.beginList());
  return store;
}

const versionOf = (store: Store, name = 'a') => store.get(name)?.metadata.resourceVersion;

describe('compareResourceVersions', () => {
  it.each([
    ['9', '10', -1],
    ['9007199254740993', '9007199254740992', 1],
    ['7', '7', 0],
  ])('orders %s and %s as integers', (a, b, sign) => {
    expect(Math.sign(compareResourceVersions(a, b) ?? Number.NaN)).toBe(sign);
  });

  it.each([
    ['x', '1'],
    ['01', '1'],
    [undefined, '1'],
    ['1.5', '1'],
  ])('has no order for %s and %s', (a, b) => {
    expect(compareResourceVersions(a, b)).toBeUndefined();
  });
});

describe('events', () => {
  it('move the object forward and never back', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', '12') })).toMatchObject({ name: 'a' });
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', '11') })).toBeUndefined();
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', '12') })).toBeUndefined();
    expect(versionOf(store)).toBe('12');
  });

  it('win when versions are not comparable', () => {
    const store = storeAt('z', storedWidget('a', 'z'));
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', 'b') })).toBeDefined();
  });

  it('of an older incarnation do not remove the newer one', () => {
    const store = storeAt('20', storedWidget('a', '20', 'new'));
    expect(store.applyEvent({ type: 'DELETED', object: storedWidget('a', '15', 'old') })).toBeUndefined();
    expect(store.applyEvent({ type: 'DELETED', object: storedWidget('a', '25', 'new') })).toMatchObject({ name: 'a' });
  });
});

describe('our own writes', () => {
  it('are seen at once, and their echo is no change', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    expect(store.observe(storedWidget('a', '15'))).toMatchObject({ previous: { metadata: { resourceVersion: '10' } } });
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', '14') })).toBeUndefined();
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', '15') })).toBeUndefined();
    expect(versionOf(store)).toBe('15');
  });

  it('do not take the place of something newer', () => {
    const store = storeAt('20', storedWidget('a', '20'));
    expect(store.observe(storedWidget('a', '15'))).toBeUndefined();
    expect(versionOf(store)).toBe('20');
  });

  it('do not bring back an object whose deletion the watch has already shown', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    store.applyEvent({ type: 'DELETED', object: storedWidget('a', '12') });
    expect(store.observe(storedWidget('a', '11'))).toBeUndefined();
    expect(store.get('a')).toBeUndefined();
    expect(store.observe(storedWidget('a', '13', 'new'))).toBeDefined();
  });

  it('survive a list that is older, and give way to one that is not', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    store.observe(storedWidget('a', '15'));
    store.observe(storedWidget('b', '16'));
    expect(store.replace({ items: [storedWidget('a', '10')], resourceVersion: '12' }, store.beginList())).toEqual([]);
    expect([versionOf(store, 'a'), versionOf(store, 'b')]).toEqual(['15', '16']);
    store.replace({ items: [storedWidget('a', '15')], resourceVersion: '20' }, store.beginList());
    expect([versionOf(store, 'a'), versionOf(store, 'b')]).toEqual(['15', undefined]);
  });

  it('once confirmed give way to any list: etcd may have been restored', () => {
    const store = storeAt('10');
    store.observe(storedWidget('a', '15'));
    store.applyEvent({ type: 'ADDED', object: storedWidget('a', '15') });
    store.replace({ items: [storedWidget('a', '3')], resourceVersion: '4' }, store.beginList());
    expect(versionOf(store)).toBe('3');
  });
});

describe('our own deletes', () => {
  const deleted = { name: 'a', uid: 'uid-of-a' };

  it('are seen at once and not undone by late events', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    expect(store.observeDeleted(deleted)).toMatchObject({ name: 'a', previous: {} });
    expect(store.applyEvent({ type: 'MODIFIED', object: storedWidget('a', '11') })).toBeUndefined();
    expect(store.observe(storedWidget('a', '11'))).toBeUndefined();
    expect(store.applyEvent({ type: 'DELETED', object: storedWidget('a', '12') })).toBeUndefined();
    expect(store.get('a')).toBeUndefined();
  });

  it('do not hide the next incarnation', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    store.observeDeleted(deleted);
    expect(store.applyEvent({ type: 'ADDED', object: storedWidget('a', '13', 'new') })).toBeDefined();
  });

  it('leave another incarnation alone', () => {
    const store = storeAt('10', storedWidget('a', '10', 'new'));
    expect(store.observeDeleted(deleted)).toBeUndefined();
    expect(versionOf(store)).toBe('10');
  });

  it('hold against a list that was under way, and give way to the next', () => {
    const store = storeAt('10', storedWidget('a', '10'));
    const underWay = store.beginList();
    store.observeDeleted(deleted);
    store.replace({ items: [storedWidget('a', '10')], resourceVersion: '10' }, underWay);
    expect(store.get('a')).toBeUndefined();
    store.replace({ items: [storedWidget('a', '10')], resourceVersion: '12' }, store.beginList());
    expect(versionOf(store)).toBe('10');
  });
});

describe('a list', () => {
  it('reports what differs and keeps what is the same', () => {
    const store = storeAt('10', storedWidget('same', '1'), storedWidget('old', '2'), storedWidget('gone', '3'));
    const same = store.get('same');
    const items = [storedWidget('same', '1'), storedWidget('old', '11'), storedWidget('new', '12')];
    const changes = store.replace({ items, resourceVersion: '12' }, store.beginList());
    expect(changes.map((change) => change.name)).toEqual(['old', 'new', 'gone']);
    expect(store.get('same')).toBe(same);
  });

  it('holds names that are also object keys', () => {
    const store = storeAt('10', storedWidget('constructor', '1'), storedWidget('__proto__', '2'));
    expect(store.list()).toHaveLength(2);
    expect(store.clear()).toHaveLength(2);
    expect(store.list()).toEqual([]);
  });
});
