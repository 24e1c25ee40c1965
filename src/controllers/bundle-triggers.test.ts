import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube/types.ts';
import { wireBundles } from './bundle-triggers.ts';
import { podUsing } from './policy-bundle/testing.ts';
import { cacheOf } from './testing-cache.ts';

const namespace = 'team-a';
const API = 'agentplane.dev/v1alpha1';
const OLD = 'ap-bundle-old';

const bundleOf = (
  name: string,
  profile: string,
  more: { readonly id?: string; readonly generation?: number } = {},
) => ({
  apiVersion: API,
  kind: 'PolicyBundle',
  metadata: { name, namespace, uid: `uid-${name}`, generation: more.generation ?? 1 },
  spec: { profileRef: { name: profile }, ...(more.id === undefined ? {} : { id: more.id }) },
});
const waiting = {
  ...bundleOf('waits', 'd'),
  status: { superseded: [{ configMap: OLD, uid: 'u', since: '2030-01-01T00:00:00Z' }] },
};
const all: readonly KubeObject[] = [
  bundleOf('a1', 'a'),
  bundleOf('a2', 'a', { id: 'x' }),
  bundleOf('b1', 'b', { id: 'x' }),
  bundleOf('c1', 'c'),
  waiting,
];

function triggeredBy(...changes: readonly ((cache: ReturnType<typeof cacheOf>) => void)[]) {
  const now: string[] = [];
  const soon: string[] = [];
  const cache = cacheOf(namespace, { bundles: all });
  wireBundles(cache, { bundle: (_, name) => now.push(name), bundleLater: (_, name) => soon.push(name) });
  for (const change of changes) change(cache);
  return { now: now.sort(), soon };
}

describe('bundles to be looked at again are', () => {
  const status = { observedGeneration: 1 };
  it.each([
    ['those of the profile of one that goes', 'a1', undefined, ['a1', 'a2']],
    ['those of both profiles, when one is about another', 'c1', bundleOf('c1', 'b', { generation: 2 }), ['b1', 'c1']],
    ['those of the profile, and with the same id', 'a2', undefined, ['a1', 'a2', 'b1']],
    ['none, when one gets its first status', 'a1', { ...bundleOf('a1', 'a'), status }, []],
  ])('%s', (_, name, current, expected) => {
    const change = (cache: ReturnType<typeof cacheOf>) => cache.bundles.change(name, current as KubeObject | undefined);
    expect(triggeredBy(change).now).toEqual(expected);
  });

  it('the one alone, when somebody writes into its status', () => {
    const forged = { ...waiting, status: { observedGeneration: 7 } };
    expect(triggeredBy((cache) => cache.bundles.change('waits', forged)).now).toEqual(['waits']);
  });

  it('all, when a profile comes, and none when its status changes', () => {
    const metadata = { name: 'a', namespace, uid: 'u', generation: 1 };
    const profile = { apiVersion: API, kind: 'RuntimeProfile', metadata };
    const { now } = triggeredBy(
      (cache) => cache.profiles.change('a', profile),
      (cache) => cache.profiles.change('a', { ...profile, status }),
    );
    expect(now).toEqual(['a1', 'a2', 'b1', 'c1', 'waits']);
  });

  it('those whose older output a pod has used that ends or goes, a moment later', () => {
    const use = podUsing([OLD]);
    const comes = (cache: ReturnType<typeof cacheOf>) => cache.pods.change('agent', use);
    expect(triggeredBy(comes)).toEqual({ now: [], soon: ['waits'] });
    const goes = (cache: ReturnType<typeof cacheOf>) => cache.pods.change('agent', undefined);
    expect(triggeredBy(comes, goes).soon).toEqual(['waits', 'waits']);
    const other = (cache: ReturnType<typeof cacheOf>) => cache.pods.change('agent', podUsing(['ap-bundle-other']));
    expect(triggeredBy(other)).toEqual({ now: [], soon: [] });
  });
});
