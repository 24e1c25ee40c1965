import { describe, expect, it } from 'vitest';
import { PROFILE_LABEL, WORKLOADS_FINALIZER } from '../api/meta.ts';
import type { KubeObject } from '../kube/types.ts';
import { resolveProfile } from './profiles.ts';
import { podOf, profileOf } from './runtime-profile/testing.ts';
import { cacheOf } from './testing-cache.ts';

const going = { deletionTimestamp: '2030-01-01T00:00:00Z' };
const resolve = (profile: KubeObject, pods: readonly KubeObject[] = []) =>
  resolveProfile(cacheOf('team-a', { profiles: [profile], pods }), 'research');

describe('a profile that policies name', () => {
  it('governs, also while it waits for its workloads to go', () => {
    const value = { profile: 'research', serviceAccountName: 'research-agent' };
    expect(resolve(profileOf())).toEqual({ ok: true, value });
    expect(resolve(profileOf('research', {}, { ...going, finalizers: [WORKLOADS_FINALIZER] }))).toEqual({
      ok: true,
      value,
    });
  });

  it.each([
    [
      'is being deleted, and held by nobody of ours',
      profileOf('research', {}, { ...going, finalizers: ['theirs'] }),
      [],
    ],
    [
      'has a pod with its label and another account',
      profileOf(),
      [podOf('a', { account: 'default', labels: { [PROFILE_LABEL]: 'research' } })],
    ],
    ['is another one', profileOf('other'), []],
  ])('does not govern when it %s', (_, profile, pods) => {
    expect(resolve(profile, pods).ok).toBe(false);
  });
});
