import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube/types.ts';
import { wireProfiles } from './profile-triggers.ts';
import { bindingOf, bundleOf, podOf, policyOf, profileOf } from './runtime-profile/testing.ts';
import { cacheOf, type HeldCache } from './testing-cache.ts';

const namespace = 'team-a';
const LABEL = 'agentplane.dev/profile';

/** `now`, `later` and `dependents` with the profile. */
function triggeredBy(change: (cache: HeldCache) => void, held: Parameters<typeof cacheOf>[1] = {}): readonly string[] {
  const triggered: string[] = [];
  const cache = cacheOf(namespace, { profiles: [profileOf('research'), profileOf('other')], ...held });
  const note = (what: string) => (_: string, name: string) => triggered.push(`${what} ${name}`);
  wireProfiles(cache, {
    profile: note('now'),
    profileFirst: note('first'),
    profileSoon: note('soon'),
    profileLater: note('later'),
    dependents: note('dependents'),
  });
  change(cache);
  return triggered;
}

describe('a profile is looked at again at once, when its policy', () => {
  const refused = { reason: 'InvalidPolicy' };
  it.each([
    ['has been judged', undefined, policyOf('p'), ['now research']],
    ['is refused', policyOf('p'), policyOf('p', { generation: 2, ...refused }), ['now research']],
    ['is proven', policyOf('p'), policyOf('p', { enforced: 'True' }), ['now research']],
    ['is being deleted', policyOf('p'), policyOf('p', { metadata: { deletionTimestamp: 'now' } }), ['now research']],
    ['is gone', policyOf('p'), undefined, ['now research']],
    [
      'leaves it',
      policyOf('p'),
      policyOf('p', { profile: 'other', generation: 2, observed: 1 }),
      ['now research', 'now other'],
    ],
    ['not when it comes, and is not judged yet', undefined, policyOf('p', { observed: null }), []],
    [
      'not when it has another spec, which is not judged yet',
      policyOf('p'),
      policyOf('p', { generation: 2, observed: 1 }),
      [],
    ],
    ['not when its status says the same', policyOf('p'), policyOf('p', { status: { matchedPods: 7 } }), []],
  ])('%s', (_, previous, current, expected) => {
    const held = previous === undefined ? {} : { policies: [previous] };
    expect(triggeredBy((cache) => cache.policies.change('p', current), held)).toEqual(expected);
  });
});

describe('the same goes for', () => {
  it('bindings', () => {
    const unjudged = bindingOf('b', 's', ['k'], { generation: 2, observed: 1 });
    const held = { bindings: [bindingOf('b', 's', ['k'])] };
    expect(triggeredBy((cache) => cache.bindings.change('b', unjudged), held)).toEqual([]);
    const judged = bindingOf('b', 's', ['k'], { generation: 2 });
    expect(triggeredBy((cache) => cache.bindings.change('b', judged), held)).toEqual(['soon research']);
    const refused = bindingOf('b', 's', ['k'], { generation: 2, reason: 'DependencyMissing' });
    for (const taken of [refused, undefined]) {
      expect(triggeredBy((cache) => cache.bindings.change('b', taken), held)).toEqual(['now research']);
    }
  });

  it('bundles, of which another output is news', () => {
    const held = { bundles: [bundleOf('b', 'ap-bundle-1')] };
    const change = (name: string) => (cache: HeldCache) => cache.bundles.change('b', bundleOf('b', name));
    expect(triggeredBy(change('ap-bundle-1'), held)).toEqual([]);
    expect(triggeredBy(change('ap-bundle-2'), held)).toEqual(['soon research']);
  });
});

describe('pods', () => {
  const change = (current: KubeObject | undefined) => (cache: HeldCache) => cache.pods.change('a', current);
  const foreign = podOf('a', { account: 'default', labels: { [LABEL]: 'research' } });

  it('that come and go are counted later', () => {
    expect(triggeredBy(change(podOf('a')))).toEqual(['later research']);
    expect(triggeredBy(change(undefined), { pods: [podOf('a')] })).toEqual(['later research']);
    expect(triggeredBy(change(podOf('a', { phase: 'Failed' })), { pods: [podOf('a')] })).toEqual(['later research']);
  });

  it('that change without ending change no number', () => {
    expect(triggeredBy(change(podOf('a', { phase: 'Running' })), { pods: [podOf('a', { phase: 'Pending' })] })).toEqual(
      [],
    );
  });

  it('with the label of a profile and another account concern it at once, with everything that rests on it, and so does their end', () => {
    expect(triggeredBy(change(foreign))).toEqual(['now research', 'dependents research']);
    expect(triggeredBy(change(undefined), { pods: [foreign] })).toEqual(['now research', 'dependents research']);
    expect(triggeredBy(change({ ...foreign, status: { phase: 'Pending' } }), { pods: [foreign] })).toEqual([]);
  });

  it('with the label of no profile concern nobody', () => {
    expect(triggeredBy(change(podOf('a', { account: 'default', labels: { [LABEL]: 'none' } })))).toEqual([]);
  });
});

describe('a deletion', () => {
  const going = profileOf('research', {}, { deletionTimestamp: 'now' });
  const labels = { [LABEL]: 'research' };
  const claim = { ...podOf('data', { labels }), kind: 'PersistentVolumeClaim' };
  const held = (more: object) => ({ profiles: [going], ...more });

  it('is urgent', () => {
    expect(triggeredBy((cache) => cache.profiles.change('research', going))).toEqual(['first research']);
  });

  it('that waits for nothing any more is urgent, and for something is counted later', () => {
    const last = (cache: HeldCache) => cache.pods.change('a', undefined);
    expect(triggeredBy(last, held({ pods: [podOf('a')] }))).toEqual(['first research']);
    expect(triggeredBy(last, held({ pods: [podOf('a'), podOf('b')] }))).toEqual(['later research']);
    expect(triggeredBy(last, held({ pods: [podOf('a')], claims: [claim] }))).toEqual(['later research']);
  });

  it('waits for volumes as well', () => {
    const last = (cache: HeldCache) => cache.claims.change('data', undefined);
    expect(triggeredBy(last, held({ claims: [claim] }))).toEqual(['first research']);
    expect(triggeredBy(last, held({ claims: [claim], pods: [podOf('a')] }))).toEqual(['later research']);
    expect(triggeredBy(last, { claims: [claim] })).toEqual(['later research']);
  });
});
