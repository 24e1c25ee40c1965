import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube/types.ts';
import { exposedBy, placeProblem } from './bindings.ts';

interface Draft {
  readonly profile?: string;
  readonly secret?: string;
  readonly keys?: readonly string[];
  readonly exposure?: string;
  readonly deletionTimestamp?: string;
}

/** `age`: the greater, the younger. */
function bindingOf(age: number, { profile = 'research', secret = `s${age}`, ...more }: Draft = {}): KubeObject {
  const { keys = ['token'], exposure = 'AgentReadable', deletionTimestamp } = more;
  const at = `2030-01-01T00:${String(Math.floor(age / 60)).padStart(2, '0')}:${String(age % 60).padStart(2, '0')}Z`;
  const going = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    apiVersion: 'agentplane.dev/v1alpha1',
    kind: 'SecretBinding',
    metadata: { name: `b${age}`, namespace: 'team', uid: `uid-${age}`, creationTimestamp: at, ...going },
    spec: { profileRef: { name: profile }, secretRef: { name: secret }, keys, exposure },
  };
}

const many = (count: number, draft: Draft = {}) => Array.from({ length: count }, (_, age) => bindingOf(age, draft));
const keysOf = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('what a binding exposes', () => {
  it('is its Secret and keys, when pods may read them', () => {
    expect(exposedBy(bindingOf(1, { keys: ['a', 'b'] }))).toEqual({ secret: 's1', keys: ['a', 'b'] });
  });

  it.each([
    ['a proxy alone may hold them', { exposure: 'ProxyOnly' }],
    ['it is being deleted', { deletionTimestamp: '2030-01-01T00:00:00Z' }],
  ])('is nothing, when %s', (_, draft) => {
    expect(exposedBy(bindingOf(1, draft))).toBeUndefined();
  });
});

describe('a place in the admission list', () => {
  const youngest = bindingOf(100);

  it.each([
    ['63 older ones of the profile', many(63)],
    ['64 older ones, one of which is being deleted', [...many(63), bindingOf(63, { deletionTimestamp: 'now' })]],
    ['64 older ones that pods may not read', many(64, { exposure: 'ProxyOnly' })],
    ['64 older ones of another profile', many(64, { profile: 'other' })],
    ['64 younger ones', Array.from({ length: 64 }, (_, i) => bindingOf(101 + i))],
  ])('is there beside %s', (_, others) => {
    expect(placeProblem(youngest, [...others, youngest])).toBeUndefined();
  });

  it('is not there beside 64 older ones, and the bound is named', () => {
    const problem = placeProblem(youngest, [youngest, ...many(64)]);
    expect(problem).toBe(
      'RuntimeProfile research has 64 older AgentReadable bindings, the most that one can have: delete one, or bind more keys in one',
    );
    expect(placeProblem(bindingOf(63), [youngest, ...many(64)])).toBeUndefined();
  });

  it('is not needed by what a proxy alone may hold', () => {
    expect(placeProblem(bindingOf(100, { exposure: 'ProxyOnly' }), many(64))).toBeUndefined();
  });

  it('is bound by 32 keys of one Secret, whoever names them', () => {
    const older = bindingOf(1, { secret: 'model', keys: keysOf(20, 'a') });
    const same = bindingOf(2, { secret: 'model', keys: [...keysOf(20, 'a'), ...keysOf(12, 'b')] });
    const more = bindingOf(2, { secret: 'model', keys: keysOf(13, 'b') });
    expect(placeProblem(same, [older, same])).toBeUndefined();
    expect(placeProblem(more, [older, more])).toMatch(/more than 32 keys of Secret model/);
    expect(placeProblem(bindingOf(2, { secret: 'x', keys: keysOf(13, 'b') }), [older, more])).toBeUndefined();
  });
});
