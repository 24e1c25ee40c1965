import { describe, expect, it } from 'vitest';
import { allow, type Case, describeCases, far, host, labels, NAMESPACE, near, on } from './testing/cilium-cases.ts';
import { CILIUM, ciliumPolicy, egressOf, flow, networkPolicy, pod, SUBJECT, TOOL, verdict } from './testing/scene.ts';

const SELECTION: readonly Case[] = [
  ['an empty selector is every pod of the namespace', allow({}), flow(near), 'no'],
  ['an empty rule allows nothing', allow({}), flow(TOOL), 'no'],
  ['selects by label', { endpointSelector: { matchLabels: { app: 'agent' } }, ...allow({}) }, flow(near), 'no'],
  [
    'does not select another label',
    { endpointSelector: { matchLabels: { app: 'web' } }, ...allow({}) },
    flow(near),
    'yes',
  ],
  [
    'selects by a label with its source',
    { endpointSelector: { matchLabels: { 'k8s:app': 'agent' } }, ...allow({}) },
    flow(near),
    'no',
  ],
  [
    'no pod has labels of another source',
    { endpointSelector: { matchLabels: { 'container:app': 'agent' } }, ...allow({}) },
    flow(near),
    'yes',
  ],
  [
    'selects by account',
    { endpointSelector: { matchLabels: { 'io.cilium.k8s.policy.serviceaccount': 'research' } }, ...allow({}) },
    flow(near),
    'no',
  ],
  [
    'does not select another account',
    { endpointSelector: { matchLabels: { 'io.cilium.k8s.policy.serviceaccount': 'default' } }, ...allow({}) },
    flow(near),
    'yes',
  ],
  [
    'selects by labels of the namespace',
    { endpointSelector: { matchLabels: { 'k8s:io.cilium.k8s.namespace.labels.env': 'test' } }, ...allow({}) },
    flow(near),
    'no',
  ],
  [
    'does not select a namespace with other labels',
    { endpointSelector: { matchLabels: { 'k8s:io.cilium.k8s.namespace.labels.env': 'prod' } }, ...allow({}) },
    flow(near),
    'yes',
  ],
  [
    'puts the own namespace for another one',
    { endpointSelector: { matchLabels: { [NAMESPACE]: 'tools' } }, ...allow({}) },
    flow(near),
    'no',
  ],
  [
    'does not select by reserved labels',
    { endpointSelector: { matchLabels: { 'reserved:init': '' } }, ...allow({}) },
    flow(near),
    'yes',
  ],
];

const DEFAULT_DENY: readonly Case[] = [
  ['switched off, it does not isolate', { ...allow({}), enableDefaultDeny: { egress: false } }, flow(near), 'yes'],
  ['switched off for ingress, it isolates', { ...allow({}), enableDefaultDeny: { ingress: false } }, flow(near), 'no'],
  [
    'switched on without a rule, there is nothing to isolate',
    { ingress: [{}], enableDefaultDeny: { egress: true } },
    flow(near),
    'yes',
  ],
  ['ingress only says nothing about egress', { ingress: [{}] }, flow(near), 'yes'],
  ['no rule at all is refused', { egress: [] }, flow(near), 'yes'],
  ['a denial isolates', { egressDeny: [{ toCIDR: ['198.51.100.0/24'] }] }, flow(near), 'no'],
  [
    'a denial that does not isolate denies what it says',
    { egressDeny: [{ toCIDR: ['198.51.100.0/24'] }], enableDefaultDeny: { egress: false } },
    flow(far),
    'no',
  ],
  [
    'a denial that does not isolate denies no more',
    { egressDeny: [{ toCIDR: ['198.51.100.0/24'] }], enableDefaultDeny: { egress: false } },
    flow(near),
    'yes',
  ],
  [
    'a denial beats what is allowed',
    { ...allow({ toEntities: ['all'] }), egressDeny: [{ toCIDR: ['203.0.113.0/24'] }] },
    flow(near),
    'no',
  ],
  [
    'a denial leaves the rest',
    { ...allow({ toEntities: ['all'] }), egressDeny: [{ toCIDR: ['203.0.113.0/24'] }] },
    flow(far),
    'yes',
  ],
  [
    'a denial of a port leaves other ports',
    { ...allow({ toEntities: ['all'] }), egressDeny: [{ toEntities: ['world'], ...on('81') }] },
    flow(near),
    'yes',
  ],
];

describeCases('selection', SELECTION);
describeCases('default deny', DEFAULT_DENY);

describe('a set of policies', () => {
  it('is a union of both kinds, and isolates as soon as one does', () => {
    const egress = egressOf(
      CILIUM,
      [networkPolicy({ policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '203.0.113.0/24' } }] }] })],
      [ciliumPolicy({ ...allow({ toEntities: ['host'] }), enableDefaultDeny: { egress: false } })],
    );
    expect([near, host, far].map((to) => verdict(egress, flow(to)))).toEqual(['yes', 'yes', 'no']);
  });

  it('has all specs of a policy', () => {
    const { metadata } = ciliumPolicy({}) as { metadata: object };
    const specs = ['203.0.113.0/24', '198.51.100.0/24'].map((cidr) => ({
      endpointSelector: {},
      ...allow({ toCIDR: [cidr] }),
    }));
    const egress = egressOf(CILIUM, [], [{ metadata, specs }]);
    expect([near, far, TOOL].map((to) => verdict(egress, flow(to)))).toEqual(['yes', 'yes', 'no']);
  });

  it('denies with a CiliumNetworkPolicy what a NetworkPolicy allows', () => {
    const open = networkPolicy({ policyTypes: ['Egress'], egress: [{}] });
    const deny = ciliumPolicy({ egressDeny: [{ toCIDR: ['203.0.113.0/24'] }] });
    const egress = egressOf(CILIUM, [open], [deny]);
    expect([near, far].map((to) => verdict(egress, flow(to)))).toEqual(['no', 'yes']);
  });

  it('names the policy that allows or denies', async () => {
    const { decide } = await import('./decide.ts');
    const egress = egressOf(
      CILIUM,
      [networkPolicy({ egress: [{}] }, 'open')],
      [ciliumPolicy({ egressDeny: [{ toCIDR: ['203.0.113.0/24'] }] }, 'shut')],
    );
    const { namespace } = SUBJECT;
    expect(decide(egress, flow(far))).toEqual({
      allowed: true,
      by: { kind: 'NetworkPolicy', namespace, name: 'open' },
    });
    expect(decide(egress, flow(near))).toEqual({
      allowed: false,
      by: { kind: 'CiliumNetworkPolicy', namespace, name: 'shut' },
    });
  });

  it('that may select the pod may open, and holds nothing shut', () => {
    const maybe = ciliumPolicy({
      endpointSelector: { matchLabels: { 'io.cilium.k8s.namespace.labels.env': 'test' } },
      ...allow({ toEntities: ['world'] }),
    });
    const { namespaces: _unknown, ...world } = CILIUM;
    expect(egressOf(world, [], [maybe]).isolated).toBe(false);
    expect(egressOf(CILIUM, [], [maybe]).isolated).toBe(true);
    expect(egressOf(world, [], [maybe, ciliumPolicy(allow({}))]).grants).not.toEqual([]);
  });

  it('that opens an empty list in older versions may open', () => {
    const empty = ciliumPolicy(allow({ toCIDRSet: [], ...on('80') }));
    const of = (version: string) => verdict(egressOf({ ...CILIUM, version }, [], [empty]), flow(near));
    expect([of('1.18.3'), of('1.18.4')]).toEqual(['unknown', 'no']);
  });

  it('has no grant of a part without ports', () => {
    expect(egressOf(CILIUM, [], [ciliumPolicy(allow({ toEntities: ['world'], toPorts: [{}] }))])).toEqual({
      isolated: true,
      grants: [],
      denies: [],
    });
  });

  it('takes labels of the pod for what they are', () => {
    const own = pod('team', { constructor: 'x' });
    expect(verdict(egressOf(CILIUM, [], [ciliumPolicy(allow(labels({ toString: 'x' })))]), flow(own))).toBe('no');
    expect(verdict(egressOf(CILIUM, [], [ciliumPolicy(allow(labels({ constructor: 'x' })))]), flow(own))).toBe('yes');
  });
});
