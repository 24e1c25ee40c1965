/** A profile over caches: what is written of it, how often, and what closes it. */
import { describe, expect, it } from 'vitest';
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import type { RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import type { Client } from '../../kube/client.ts';
import { createFakeClock } from '../../kube/testing/fake-clock.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isInForce } from '../observable.ts';
import { cacheOf, type Held } from '../testing-cache.ts';
import { type RuntimeProfileContext, reconcileRuntimeProfile } from './reconcile.ts';
import { bindingOf, bundleOf, namespace, podOf, policyOf, profileOf } from './testing.ts';

const key = { namespace, name: 'research' };
const LABEL = 'agentplane.dev/profile';

const FLOOR: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'agentplane-floor', namespace },
  spec: { podSelector: {}, policyTypes: ['Egress'] },
};

interface Setting extends Held {
  readonly profile?: KubeObject;
  readonly report?: CapabilityReportStatus;
  readonly blind?: 'policies' | 'bindings' | 'pods';
  readonly holdsProfiles?: boolean;
}

function world({ profile = profileOf(), report, blind, holdsProfiles = false, ...held }: Setting = {}) {
  const cache = cacheOf(namespace, {
    networkPolicies: [FLOOR],
    ...held,
    profiles: [profile, ...(held.profiles ?? [])],
  });
  const clock = createFakeClock();
  const writes: RuntimeProfileStatus[] = [];
  const events: string[] = [];
  const client: Partial<Client> = {
    apply: async (_, object) => {
      writes.push(object.status as RuntimeProfileStatus);
      const live = cache.profiles.get(object.metadata.name);
      return { ...live, ...object, metadata: { ...live?.metadata, ...object.metadata }, spec: live?.spec };
    },
  };
  const state = { report };
  const context: RuntimeProfileContext = {
    client: client as Client,
    cacheOf: () => cache,
    report: () => state.report,
    isFresh: (observedAt) => observedAt === 'fresh',
    isCurrent: (informer) => blind === undefined || informer !== cache[blind],
    holdsProfiles,
    clock,
    announce: (_, type, { reason }) => events.push(`${type} ${reason}`),
  };
  const blinded = blind === undefined ? undefined : cache[blind];
  if (blinded !== undefined) {
    Object.assign(blinded, { health: () => ({ lastError: new Error('cannot list') }) });
  }
  return {
    cache,
    clock,
    writes,
    events,
    state,
    reconcile: () => reconcileRuntimeProfile(key, new AbortController().signal, context),
    live: () => cache.profiles.get('research') ?? profile,
    status: () => (cache.profiles.get('research')?.status ?? {}) as RuntimeProfileStatus,
  };
}

function summary({ conditions = [] }: RuntimeProfileStatus): Record<string, string> {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status}/${reason}`]));
}

const respecified = (object: KubeObject, generation: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, generation },
});

describe('a profile', () => {
  it('is closed until a policy is in force: two writes in all, none when nothing changes', async () => {
    const { reconcile, cache, writes, status, live, events } = world();
    await reconcile();
    expect(summary(status())).toEqual({
      Accepted: 'True/Accepted',
      DependenciesResolved: 'False/DependencyMissing',
      Ready: 'False/DependencyMissing',
    });
    expect(status().admission).toMatchObject({
      generation: 1,
      open: false,
      message: expect.stringContaining('create one'),
    });
    cache.policies.change('p', policyOf('p'));
    await reconcile();
    expect(summary(status())).toEqual({
      Accepted: 'True/Accepted',
      DependenciesResolved: 'True/Resolved',
      Ready: 'True/Ready',
    });
    expect(status().admission).toEqual({ generation: 1, open: true, since: '2030-01-01T00:00:00Z' });
    expect(isInForce(live())).toBe(true);
    expect(events).toEqual(['Warning DependencyMissing', 'Normal Ready']);
    cache.policies.change('q', policyOf('q'));
    await reconcile();
    await reconcile();
    expect(writes).toHaveLength(2);
  });

  it('does not inherit an older success: generation 2 says nothing until it is judged, and is open by a write of its own', async () => {
    const { reconcile, cache, status, live } = world({ policies: [policyOf('p')] });
    await reconcile();
    cache.profiles.change('research', respecified(live(), 2));
    expect(status().admission?.generation).toBe(1);
    expect(isInForce(live())).toBe(false);
    await reconcile();
    expect(status()).toMatchObject({ observedGeneration: 2, admission: { generation: 2, open: true } });
    expect(isInForce(live())).toBe(true);
  });

  it('stays as it is while a newer spec of its policy is not judged, and is closed by one that keeps the previous', async () => {
    const { reconcile, cache, status, writes } = world({ policies: [policyOf('p')] });
    await reconcile();
    cache.policies.change('p', policyOf('p', { generation: 2, observed: 1 }));
    await reconcile();
    expect(writes).toHaveLength(1);
    cache.policies.change('p', policyOf('p', { generation: 2, reason: 'UnsupportedProvider' }));
    await reconcile();
    expect(status().admission).toEqual({
      generation: 1,
      open: false,
      message: 'EgressPolicy p generation 2 is not in force: UnsupportedProvider',
      since: '2030-01-01T00:00:00Z',
    });
    expect(summary(status()).Ready).toBe('False/DependencyMissing');
  });

  it('tells pods by the generation that admitted them, and forgets those that have ended', async () => {
    const pods = [
      podOf('old', { created: '2029-12-31T23:59:59Z' }),
      podOf('new', { created: '2030-01-01T00:00:00Z' }),
      podOf('ended', { phase: 'Succeeded' }),
      podOf('theirs', { account: 'other' }),
    ];
    const { reconcile, status } = world({ policies: [policyOf('p')], pods });
    await reconcile();
    expect(status().workloads).toEqual({ pods: 2, olderGeneration: 1, retainedVolumes: 0 });
  });

  it('that was never open counts every pod as older', async () => {
    const { reconcile, status } = world({ pods: [podOf('a'), podOf('b')] });
    await reconcile();
    expect(status().workloads).toEqual({ pods: 2, olderGeneration: 2, retainedVolumes: 0 });
  });

  it('lists what its bindings and bundles give, and not what those of others give', async () => {
    const other = { profile: 'other' };
    const bindings = [bindingOf('b', 's', ['k']), bindingOf('o', 'theirs', ['k'], other)];
    const bundles = [bundleOf('b', 'ap-bundle-1'), bundleOf('o', 'ap-bundle-2', other)];
    const policies = [policyOf('p'), policyOf('o', { ...other, reason: 'InvalidPolicy' })];
    const { reconcile, status } = world({ policies, bindings, bundles });
    await reconcile();
    expect(status().admission).toMatchObject({
      open: true,
      secrets: [{ name: 's', keys: ['k'] }],
      bundles: [{ name: 'ap-bundle-1' }],
    });
  });

  it('that is gone costs nothing', async () => {
    const { reconcile, cache, writes } = world();
    cache.profiles.change('research', undefined);
    await reconcile();
    expect(writes).toEqual([]);
  });
});

describe('a profile is closed', () => {
  const policies = [policyOf('p')];
  const foreign = (name: string, more: object = {}) =>
    podOf(name, { account: 'default', labels: { [LABEL]: 'research' }, ...more });
  const older = profileOf(
    'older',
    { serviceAccountName: 'research-agent', id: 'x' },
    { creationTimestamp: '2029-01-01T00:00:00Z' },
  );

  it.each([
    ['its spec is not valid', { profile: profileOf('research', { id: 'A' }) }, 'Accepted', 'InvalidPolicy', 'spec.id'],
    [
      'an older one has its id',
      { profile: profileOf('research', { serviceAccountName: 'other', id: 'x' }), profiles: [older] },
      'Accepted',
      'IdentityConflict',
      'older',
    ],
    [
      'an older one has its account',
      { profiles: [older] },
      'Accepted',
      'SubjectConflict',
      'older RuntimeProfile older',
    ],
    ['a pod has its label without its account', { pods: [foreign('a')] }, 'Accepted', 'SubjectConflict', 'delete a'],
    [
      'many pods have it, of which three are named',
      { pods: ['d', 'b', 'c', 'a'].map((name) => foreign(name)) },
      'Accepted',
      'SubjectConflict',
      'delete a, b, c and others',
    ],
    [
      'its policies cannot be followed',
      { blind: 'policies' },
      'DependenciesResolved',
      'DependencyNotReadable',
      'egresspolicies',
    ],
    [
      'its bindings cannot be followed',
      { blind: 'bindings' },
      'DependenciesResolved',
      'DependencyNotReadable',
      'cannot list',
    ],
    ['its pods cannot be followed', { blind: 'pods' }, 'DependenciesResolved', 'DependencyNotReadable', 'pods'],
  ] as const)('when %s', async (_, setting, type, ...[reason, says]) => {
    const { reconcile, status } = world({ policies, ...(setting as Setting) });
    await reconcile();
    const condition = status().conditions?.find((item) => item.type === type);
    expect(condition).toMatchObject({ reason, message: expect.stringContaining(String(says)) });
    expect(condition?.status).not.toBe('True');
    expect(status().admission).toMatchObject({ open: false, message: condition?.message });
    expect(summary(status()).Ready).toContain(reason);
  });

  it.each([
    ['pods that have ended', { pods: [foreign('a', { phase: 'Failed' })] }],
    ['pods with the label of another', { pods: [podOf('a', { account: 'default', labels: { [LABEL]: 'other' } })] }],
    ['its own pods', { pods: [podOf('a', { labels: { [LABEL]: 'research' } })] }],
  ])('not by %s', async (_, setting) => {
    const { reconcile, status } = world({ policies, ...setting });
    await reconcile();
    expect(status().admission?.open).toBe(true);
  });
});

describe('a profile that requires no policy', () => {
  const profile = profileOf('research', { requires: { egress: 'None' } });

  it('is open under the floor, and closed without it', async () => {
    const { reconcile, cache, status } = world({ profile });
    await reconcile();
    expect(status().admission?.open).toBe(true);
    cache.networkPolicies.change('agentplane-floor', { ...FLOOR, spec: { podSelector: {}, policyTypes: ['Ingress'] } });
    await reconcile();
    expect(summary(status()).DependenciesResolved).toBe('False/FloorMissing');
    expect(status().admission).toMatchObject({ open: false, message: expect.stringContaining('does not deny egress') });
    cache.networkPolicies.change('agentplane-floor', FLOOR);
    await reconcile();
    expect(status().admission?.open).toBe(true);
  });
});

describe('the RuntimeClass of a profile', () => {
  const classes = (state: 'Present' | 'Missing' | 'NotReadable', observedAt = 'fresh') => ({
    observedAt,
    runtimeClasses: [{ name: 'gvisor', state }],
  });
  const profile = profileOf('research', { runtimeClassName: 'gvisor', requires: { egress: 'None' } });

  it('opens it when it exists', async () => {
    const { reconcile, status } = world({ profile, report: classes('Present') });
    await reconcile();
    expect(status().admission?.open).toBe(true);
  });

  it.each([
    ['does not exist', classes('Missing'), 'False/DependencyMissing', 'create it'],
    ['may not be read', classes('NotReadable'), 'Unknown/DependencyNotReadable', 'agentplane-cluster'],
    ['is not in the report', { observedAt: 'fresh' }, 'Unknown/DependencyNotReadable', 'inventory.runtimeClasses'],
    ['was seen long ago', classes('Present', 'old'), 'Unknown/DependencyNotReadable', 'is the inventory running'],
    ['was never looked for', undefined, 'Unknown/DependencyNotReadable', 'is the inventory running'],
  ] as const)('closes it when it %s, and opens it once it is there', async (_, report, expected, says) => {
    const { reconcile, status, state } = world({ profile, ...(report === undefined ? {} : { report }) });
    await reconcile();
    expect(summary(status()).DependenciesResolved).toBe(expected);
    expect(status().admission).toMatchObject({ open: false, message: expect.stringContaining(says) });
    state.report = classes('Present');
    await reconcile();
    expect(status().admission?.open).toBe(true);
  });
});
