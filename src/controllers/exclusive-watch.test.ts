import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../kube/testing/fake-clock.ts';
import type { KubeObject } from '../kube/types.ts';
import { createDecisions } from './decisions.ts';
import { createExclusiveWatches, REWORD_AFTER_MS } from './exclusive-watch.ts';
import { cacheOf } from './testing-cache.ts';

const namespace = 'team-a';
const API = 'agentplane.dev/v1alpha1';
const profileOf = (name: string): KubeObject => ({
  apiVersion: API,
  kind: 'RuntimeProfile',
  metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { serviceAccountName: `${name}-agent` },
});
const policyOf = (name: string, profile: string): KubeObject => ({
  apiVersion: API,
  kind: 'EgressPolicy',
  metadata: { name, namespace, uid: `uid-${name}`, generation: 1 },
  spec: { profileRef: { name: profile } },
});
const byLabel = (profile: string, generation: number, egress: readonly object[]): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'theirs', namespace, uid: 'uid-theirs', generation },
  spec: { podSelector: { matchLabels: { 'agentplane.dev/profile': profile } }, policyTypes: ['Egress'], egress },
});
const floor: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'agentplane-floor', namespace, uid: 'uid-floor' },
  spec: { podSelector: {}, policyTypes: ['Egress'] },
};

/** Two profiles with policies; `news` is what is to be looked at again, after the first look. */
async function world() {
  const cache = cacheOf(namespace, {
    profiles: [profileOf('a'), profileOf('b')],
    policies: [policyOf('a1', 'a'), policyOf('a2', 'a'), policyOf('b1', 'b')],
    networkPolicies: [floor],
  });
  const clock = createFakeClock();
  const news: string[] = [];
  const decisions = createDecisions();
  const options = { caches: [cache], world: () => ({ provider: 'networkpolicy' }) as const, clock, decisions };
  const finding = createExclusiveWatches(options, ({ name }) => news.push(name));
  cache.pods.change('first', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'first', namespace } });
  await clock.advance(100);
  news.length = 0;
  return {
    cache,
    clock,
    news,
    reason: (name: string) => finding(cache, { profile: name, serviceAccountName: `${name}-agent` }).reason,
    message: (name: string) => finding(cache, { profile: name, serviceAccountName: `${name}-agent` }).message,
  };
}

describe('a change of a policy of others', () => {
  it('that widens one profile is news for its policies alone, and so is its end', async () => {
    const { cache, clock, news, reason } = await world();
    cache.networkPolicies.change('theirs', byLabel('a', 1, [{}]));
    expect(reason('a')).toBe('WidenedByOtherPolicy');
    expect(reason('b')).toBe('NoOtherPolicy');
    await clock.advance(100);
    expect(news).toEqual(['a1', 'a2']);
    cache.networkPolicies.change('theirs', undefined);
    expect(reason('a')).toBe('NoOtherPolicy');
    await clock.advance(100);
    expect(news).toEqual(['a1', 'a2', 'a1', 'a2']);
  });

  it('that opens nothing is none, until it does', async () => {
    const { cache, clock, news, reason } = await world();
    cache.networkPolicies.change('theirs', byLabel('a', 1, []));
    await clock.advance(1000);
    expect(news).toEqual([]);
    cache.networkPolicies.change('theirs', byLabel('a', 2, [{}]));
    await clock.advance(100);
    expect(news).toEqual(['a1', 'a2']);
    expect(reason('a')).toBe('WidenedByOtherPolicy');
  });

  it('of nothing but its status is not looked at', async () => {
    const { cache, clock } = await world();
    cache.networkPolicies.change('theirs', byLabel('a', 1, [{}]));
    await clock.advance(100);
    cache.networkPolicies.change('theirs', { ...byLabel('a', 1, [{}]), status: { conditions: [] } });
    expect(clock.pendingTimers).toBe(0);
    cache.networkPolicies.change('theirs', byLabel('a', 2, []));
    expect(clock.pendingTimers).toBe(1);
  });
});

describe('a widening that changes all the time', () => {
  const onPort = (port: number) => byLabel('a', port, [{ ports: [{ protocol: 'TCP', port }] }]);

  it('is told at once when it begins and when it ends, and else every half a minute, the same to whoever asks', async () => {
    const { cache, clock, news, message } = await world();
    for (let port = 1; port <= 20; port += 1) {
      cache.networkPolicies.change('theirs', onPort(port));
      await clock.advance(100);
      expect(message('a')).toContain('TCP 1:');
    }
    expect(news).toEqual(['a1', 'a2']);
    await clock.advance(REWORD_AFTER_MS);
    expect(message('a')).toContain('TCP 20:');
    expect(news).toEqual(['a1', 'a2', 'a1', 'a2']);
    expect(clock.pendingTimers).toBe(0);
    cache.networkPolicies.change('theirs', onPort(21));
    await clock.advance(100);
    cache.networkPolicies.change('theirs', undefined);
    await clock.advance(100);
    expect(news).toEqual(['a1', 'a2', 'a1', 'a2', 'a1', 'a2']);
    expect(message('a')).toContain('no other policy');
  });
});

describe('a pod', () => {
  it('that gets a label by which another policy selects is news', async () => {
    const { cache, clock, news } = await world();
    const pod = (labels: Readonly<Record<string, string>>): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'agent', namespace, labels },
      spec: { serviceAccountName: 'b-agent' },
    });
    cache.pods.change('agent', pod({}));
    cache.networkPolicies.change('theirs', byLabel('a', 1, [{}]));
    await clock.advance(100);
    news.length = 0;
    cache.pods.change('agent', pod({ 'agentplane.dev/profile': 'a' }));
    await clock.advance(100);
    // Those of a as well: a pod with its label and another account closes the profile.
    expect(news).toEqual(['a1', 'a2', 'b1']);
  });
});
