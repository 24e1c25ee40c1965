import { describe, expect, it } from 'vitest';
import { outputMeta } from '../compile/names.ts';
import type { World } from '../effective/types.ts';
import type { KubeObject, OwnerReference } from '../kube/types.ts';
import { exclusivity } from './exclusive.ts';
import { cacheOf } from './testing-cache.ts';

const namespace = 'team-a';
const profile = { profile: 'research', serviceAccountName: 'research-agent' };
const cilium: World = { provider: 'cilium', version: '1.20.2' };
const networkPolicy: World = { provider: 'networkpolicy' };

const egressPolicy: KubeObject = {
  apiVersion: 'agentplane.dev/v1alpha1',
  kind: 'EgressPolicy',
  metadata: { name: 'ours', namespace, uid: 'uid-ours' },
  spec: { profileRef: { name: 'research' } },
};
const meta = outputMeta({ kind: 'EgressPolicy', namespace, name: 'ours', uid: 'uid-ours' }, 'egress');
const to = (cidr: string) => ({ to: [{ ipBlock: { cidr } }], ports: [{ protocol: 'TCP', port: 443 }] });

function np(name: string, spec: object, metadata: object = {}): KubeObject {
  const whole = { name, namespace, uid: `uid-${name}`, ...metadata };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: whole, spec };
}

function cnp(name: string, rest: object): KubeObject {
  const metadata = { name, namespace, uid: `uid-${name}` };
  return { apiVersion: 'cilium.io/v2', kind: 'CiliumNetworkPolicy', metadata, ...rest };
}

function pod(name: string, labels: Readonly<Record<string, string>>, account = 'research-agent'): KubeObject {
  const spec = { serviceAccountName: account };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec, status: { phase: 'Running' } };
}

const floor = np('agentplane-floor', { podSelector: {}, policyTypes: ['Egress'] });
const ourSpec = { podSelector: { matchLabels: { 'agentplane.dev/profile': 'research' } }, policyTypes: ['Egress'] };
const ours = np(meta.name, { ...ourSpec, egress: [to('203.0.113.0/24')] }, { ...meta, uid: 'uid-output' });
const wide = { podSelector: {}, policyTypes: ['Egress'], egress: [to('198.51.100.0/24')] };
const governed = { 'agentplane.dev/profile': 'research', app: 'agent' };

interface Scene {
  readonly policies?: readonly KubeObject[];
  readonly pods?: readonly KubeObject[];
  readonly world?: World;
  readonly egressPolicies?: readonly KubeObject[];
}

function judge({ policies = [], pods = [], world = cilium, egressPolicies = [egressPolicy] }: Scene) {
  const of = (kind: string) => [floor, ours, ...policies].filter((object) => object.kind === kind);
  const cache = cacheOf(namespace, {
    networkPolicies: of('NetworkPolicy'),
    ciliumPolicies: of('CiliumNetworkPolicy'),
    pods,
    policies: egressPolicies,
  });
  return exclusivity(cache, profile, world);
}

const widened = (policy: string, opened: string) => ({
  status: 'False',
  reason: 'WidenedByOtherPolicy',
  message: expect.stringContaining(`${policy} opens ${opened}`),
});
const exclusive = { status: 'True', reason: 'NoOtherPolicy', message: expect.any(String) };

describe('a policy of others that opens more', () => {
  const world = { toEntities: ['world'], toPorts: [{ ports: [{ port: '80', protocol: 'TCP' }] }] };
  it.each([
    ['to every pod', np('theirs', wide), 'NetworkPolicy theirs', '198.51.100.0/24 on TCP 443'],
    [
      'an address beside ours',
      np('theirs', { ...wide, egress: [to('203.0.112.0/23')] }),
      'NetworkPolicy theirs',
      '203.0.112.0/24 on TCP 443',
    ],
    [
      'another port',
      np('theirs', { ...wide, egress: [{ to: [{ ipBlock: { cidr: '203.0.113.0/24' } }] }] }),
      'NetworkPolicy theirs',
      '203.0.113.0/24 on',
    ],
    [
      'by CiliumNetworkPolicy',
      cnp('theirs', { spec: { endpointSelector: {}, egress: [world] } }),
      'CiliumNetworkPolicy theirs',
      '',
    ],
    [
      'in its second list of rules',
      cnp('theirs', { specs: [{ endpointSelector: {}, egress: [world] }] }),
      'CiliumNetworkPolicy theirs',
      '',
    ],
    [
      'by the account',
      cnp('theirs', {
        spec: {
          endpointSelector: { matchLabels: { 'k8s:io.cilium.k8s.policy.serviceaccount': 'research-agent' } },
          egress: [world],
        },
      }),
      'CiliumNetworkPolicy theirs',
      '',
    ],
    [
      'with our labels, but without our owner',
      np('theirs', wide, { labels: meta.labels }),
      'NetworkPolicy theirs',
      '198.51.100.0/24',
    ],
    [
      'with an owner of another profile',
      np('theirs', wide, { labels: meta.labels, ownerReferences: [owner('uid-other')] }),
      'NetworkPolicy theirs',
      '198.51.100.0/24',
    ],
  ])('%s', (_, policy, name, opened) => {
    expect(judge({ policies: [policy] })).toEqual(widened(name, opened));
  });

  it('to a label that a governed pod has, and no alarm while none has it', () => {
    const policies = [np('theirs', { ...wide, podSelector: { matchLabels: { app: 'agent' } } })];
    expect(judge({ policies })).toEqual(exclusive);
    expect(judge({ policies, pods: [pod('a', { app: 'other' }), pod('b', { app: 'agent' }, 'other')] })).toEqual(
      exclusive,
    );
    expect(judge({ policies, pods: [pod('a', { app: 'other' }), pod('b', governed)] })).toEqual(
      widened('NetworkPolicy theirs', '198.51.100.0/24'),
    );
  });

  it('to pods that it leaves out by their labels', () => {
    const podSelector = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['agent'] }] };
    const policies = [np('theirs', { ...wide, podSelector })];
    expect(judge({ policies, pods: [pod('a', governed)] })).toEqual(exclusive);
    expect(judge({ policies, pods: [pod('a', {})] })).toEqual(widened('NetworkPolicy theirs', '198.51.100.0/24'));
  });

  it('is named once, with what it opens, in an order of its own', () => {
    const policies = ['b', 'a', 'e', 'd', 'c', 'f'].map((name) => np(name, wide));
    const pods = ['1', '2', '3'].map((name) => pod(name, { ...governed, name }));
    const { message } = judge({ policies, pods });
    expect(message).toMatch(/^NetworkPolicy a opens .*; NetworkPolicy b opens .*; 2 more policies do so: /);
    expect(judge({ policies: policies.toReversed(), pods: pods.toReversed() }).message).toBe(message);
  });
});

describe('no alarm is raised by', () => {
  it.each([
    ['nothing', []],
    ['a policy about ingress', [np('theirs', { podSelector: {}, policyTypes: ['Ingress'], ingress: [{}] })]],
    ['a narrower policy', [np('theirs', { ...wide, egress: [to('203.0.113.128/25')] })]],
    ['the same policy', [np('theirs', { ...wide, egress: [to('203.0.113.0/24')] })]],
    ['a policy that denies', [np('theirs', { podSelector: {}, policyTypes: ['Egress'] })]],
    ['a policy about other pods', [np('theirs', { ...wide, podSelector: { matchLabels: { app: 'web' } } })]],
    ['a policy of another namespace', [np('theirs', wide, { namespace: 'team-b' })]],
    ['ingress and denials of Cilium', [cnp('theirs', { spec: { endpointSelector: {}, ingress: [{}] } })]],
  ])('%s', (_, policies) => {
    expect(judge({ policies })).toEqual(exclusive);
  });

  it('another output of the same profile, while its policy exists', () => {
    const second = { ...egressPolicy, metadata: { ...egressPolicy.metadata, name: 'second', uid: 'uid-second' } };
    const policies = [np('second', wide, { labels: meta.labels, ownerReferences: [owner('uid-second')] })];
    expect(judge({ policies, egressPolicies: [egressPolicy, second] })).toEqual(exclusive);
    expect(judge({ policies })).toEqual(widened('NetworkPolicy second', '198.51.100.0/24'));
  });

  it('an output whose marks were stripped, when the status recorded it', () => {
    const policies = [np('ap-egress-stripped', wide)];
    const output = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      name: 'ap-egress-stripped',
      uid: 'uid-ap-egress-stripped',
    };
    const lastApplied = { generation: 1, specHash: 'sha256:x', outputs: [output] };
    expect(judge({ policies, egressPolicies: [{ ...egressPolicy, status: { lastApplied } }] })).toEqual(exclusive);
    expect(judge({ policies })).toEqual(widened('NetworkPolicy ap-egress-stripped', '198.51.100.0/24'));
  });

  it('a CiliumNetworkPolicy where Cilium does not run', () => {
    const policies = [cnp('left-over', { spec: { endpointSelector: {}, egress: [{ toEntities: ['world'] }] } })];
    expect(judge({ policies, world: networkPolicy })).toEqual(exclusive);
    expect(judge({ policies })).toEqual(widened('CiliumNetworkPolicy left-over', ''));
  });
});

function owner(uid: string): OwnerReference {
  return { apiVersion: 'agentplane.dev/v1alpha1', kind: 'EgressPolicy', name: 'x', uid, controller: true };
}
