import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube/types.ts';
import { wireBindings } from './binding-triggers.ts';
import { cacheOf } from './testing-cache.ts';

const namespace = 'team-a';
const API = 'agentplane.dev/v1alpha1';
const bindingOf = (
  name: string,
  profile: string,
  more: { readonly id?: string; readonly generation?: number } = {},
) => ({
  apiVersion: API,
  kind: 'SecretBinding',
  metadata: { name, namespace, uid: `uid-${name}`, generation: more.generation ?? 1 },
  spec: { profileRef: { name: profile }, ...(more.id === undefined ? {} : { id: more.id }) },
});
const all: readonly KubeObject[] = [
  bindingOf('a1', 'a'),
  bindingOf('a2', 'a', { id: 'x' }),
  bindingOf('b1', 'b', { id: 'x' }),
  bindingOf('c1', 'c'),
];

function triggeredBy(change: (cache: ReturnType<typeof cacheOf>) => void): readonly string[] {
  const triggered: string[] = [];
  const cache = cacheOf(namespace, { bindings: all });
  wireBindings(cache, { binding: (_, name) => triggered.push(name) });
  change(cache);
  return triggered.sort();
}

describe('bindings to be looked at again are', () => {
  const status = { observedGeneration: 1 };
  const [first] = all;
  it.each([
    ['those of the profile of one that goes', 'a1', undefined, ['a1', 'a2']],
    [
      'those of both profiles, when one is bound to another',
      'c1',
      bindingOf('c1', 'b', { generation: 2 }),
      ['b1', 'c1'],
    ],
    ['those of the profile, and with the same id', 'a2', undefined, ['a1', 'a2', 'b1']],
    ['none, when one gets its first status', 'a1', { ...first, status }, []],
  ])('%s', (_, name, current, expected) => {
    expect(triggeredBy((cache) => cache.bindings.change(name, current as KubeObject | undefined))).toEqual(expected);
  });

  it('the one alone, when somebody writes into its status', () => {
    const withStatus = { ...bindingOf('a1', 'a'), status };
    const forged = { ...withStatus, status: { observedGeneration: 7 } };
    const triggered = triggeredBy((cache) => {
      cache.bindings.change('a1', withStatus);
      cache.bindings.change('a1', forged);
    });
    expect(triggered).toEqual(['a1']);
  });

  it('all, when a profile comes or has another spec, and none when its status changes', () => {
    const profile = {
      apiVersion: API,
      kind: 'RuntimeProfile',
      metadata: { name: 'a', namespace, uid: 'u', generation: 1 },
    };
    expect(triggeredBy((cache) => cache.profiles.change('a', profile))).toEqual(['a1', 'a2', 'b1', 'c1']);
    const held = triggeredBy((cache) => {
      cache.profiles.change('a', profile);
      cache.profiles.change('a', { ...profile, status });
      cache.profiles.change('a', { ...profile, status: { observedGeneration: 2 } });
    });
    expect(held).toEqual(['a1', 'a2', 'b1', 'c1']);
  });
});
