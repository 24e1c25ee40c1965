import { describe, expect, it } from 'vitest';
import { outputMeta } from '../compile/names.ts';
import type { World } from '../effective/types.ts';
import type { KubeObject } from '../kube/types.ts';
import { createDecisions, type Decisions } from './decisions.ts';
import { digestOf } from './egress-policy/outputs.ts';
import { exclusivity } from './exclusive.ts';
import { cacheOf } from './testing-cache.ts';

const namespace = 'team-a';
const profile = { profile: 'research', serviceAccountName: 'research-agent' };
const cilium: World = { provider: 'cilium', version: '1.20.2' };
const networkPolicy: World = { provider: 'networkpolicy' };

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

/** A policy that put the object in force. */
function policyOf(name: string, output: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = output;
  const outputs = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }];
  return {
    apiVersion: 'agentplane.dev/v1alpha1',
    kind: 'EgressPolicy',
    metadata: { name, namespace, uid: `uid-${name}` },
    spec: { profileRef: { name: 'research' } },
    status: { inForce: { generation: 1, specHash: digestOf([output]), outputs } },
  };
}
const egressPolicy = policyOf('ours', ours);
const governed = { 'agentplane.dev/profile': 'research', app: 'agent' };

interface Scene {
  readonly policies?: readonly KubeObject[];
  readonly pods?: readonly KubeObject[];
  readonly world?: World;
  readonly egressPolicies?: readonly KubeObject[];
  readonly decisions?: Decisions;
}

function judge(scene: Scene) {
  const {
    policies = [],
    pods = [],
    world = cilium,
    egressPolicies = [egressPolicy],
    decisions = createDecisions(),
  } = scene;
  const of = (kind: string) => [floor, ours, ...policies].filter((object) => object.kind === kind);
  const cache = cacheOf(namespace, {
    networkPolicies: of('NetworkPolicy'),
    ciliumPolicies: of('CiliumNetworkPolicy'),
    pods,
    policies: egressPolicies,
  });
  return exclusivity(profile, { cache, world, decisions });
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
      'with all our marks, but not what we put in force',
      np(meta.name, wide, { ...meta, uid: 'uid-output' }),
      `NetworkPolicy ${meta.name}`,
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
    const second = np('ap-egress-2', wide);
    const policies = [second];
    expect(judge({ policies, egressPolicies: [egressPolicy, policyOf('second', second)] })).toEqual(exclusive);
    const elsewhere = { ...policyOf('second', second), spec: { profileRef: { name: 'other' } } };
    for (const egressPolicies of [[egressPolicy], [egressPolicy, elsewhere]])
      expect(judge({ policies, egressPolicies })).toEqual(widened('NetworkPolicy ap-egress-2', '198.51.100.0/24'));
  });

  it('an output as it was decided, before any status records it; and it does once that is decided no more', () => {
    const second = np('ap-egress-2', wide);
    const { status: _, ...unrecorded } = policyOf('second', second);
    const decisions = createDecisions();
    const scene = { policies: [second], egressPolicies: [egressPolicy, unrecorded], decisions };
    expect(judge(scene).status).toBe('False');
    decisions.decide({ namespace, name: 'second' }, digestOf([second]));
    expect(judge(scene)).toEqual(exclusive);
    decisions.decide({ namespace, name: 'second' }, undefined);
    expect(judge(scene).status).toBe('False');
  });

  it('a CiliumNetworkPolicy where Cilium does not run', () => {
    const policies = [cnp('left-over', { spec: { endpointSelector: {}, egress: [{ toEntities: ['world'] }] } })];
    expect(judge({ policies, world: networkPolicy })).toEqual(exclusive);
    expect(judge({ policies })).toEqual(widened('CiliumNetworkPolicy left-over', ''));
  });
});

describe('what cannot be judged', () => {
  it('is Unknown, and stops nothing: neither True nor an exception', () => {
    let podSelector: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) podSelector = { matchLabels: podSelector };
    expect(judge({ policies: [np('deep', { ...wide, podSelector })] })).toEqual({
      status: 'Unknown',
      reason: 'NotEvaluated',
      message: expect.stringMatching(/namespace team-a .* could not be judged \(.+\): simplify or delete them/),
    });
  });
});
