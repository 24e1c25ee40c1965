import { describe, expect, it } from 'vitest';
import { outputMeta } from '../compile/names.ts';
import type { KubeObject } from '../kube/types.ts';
import { cacheOf } from './testing-cache.ts';
import { wireTriggers } from './triggers.ts';

const namespace = 'team-a';
const meta = outputMeta({ kind: 'EgressPolicy', namespace, name: 'p', uid: 'uid-p' }, 'egress');
const policy: KubeObject = {
  apiVersion: 'agentplane.dev/v1alpha1',
  kind: 'EgressPolicy',
  metadata: { name: 'p', namespace, uid: 'uid-p', generation: 1 },
};

/** The policies that are looked at again once the NetworkPolicy comes. */
function triggeredBy(metadata: object): readonly string[] {
  const cache = cacheOf(namespace, {});
  const triggered: string[] = [];
  const policyIs = (_: string, name: string) => triggered.push(name);
  const nothing = () => undefined;
  const others = {
    profile: nothing,
    profileFirst: nothing,
    profileSoon: nothing,
    profileLater: nothing,
    dependents: nothing,
    binding: nothing,
    policyLater: nothing,
  };
  wireTriggers(cache, { policy: policyIs, ...others });
  cache.policies.change('p', policy);
  triggered.length = 0;
  const whole = { name: 'theirs', namespace, uid: 'uid-theirs', ...metadata };
  cache.networkPolicies.change(whole.name, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: whole,
  });
  return triggered;
}

describe('a NetworkPolicy concerns', () => {
  const [reference] = meta.ownerReferences;
  const forged = { ...reference, apiVersion: 'nobody.example/v1', name: 'nope' };
  const many = Array.from({ length: 18_000 }, (_, i) => ({
    ...reference,
    name: `n${i}`,
    uid: `u${i}`,
    controller: false,
  }));
  it.each([
    ['the policy that controls it', { ownerReferences: [reference] }, ['p']],
    ['the policy of that UID, whatever name is given', { ownerReferences: [forged] }, ['p']],
    ['the policy whose output has its name', { name: meta.name }, ['p']],
    ['its own name, when it has our label and nobody controls it', { labels: meta.labels }, ['theirs']],
    ['nobody, when no policy has that UID', { ownerReferences: [{ ...reference, uid: 'other' }] }, []],
    ['nobody, however many owners it names that do not control it', { ownerReferences: many }, []],
  ])('%s', (_, metadata, expected) => {
    expect(triggeredBy(metadata)).toEqual(expected);
  });
});
