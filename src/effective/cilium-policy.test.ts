import { describe, expect, it } from 'vitest';
import {
  API_SERVER,
  CILIUM,
  ciliumPolicy,
  egressOf,
  flow,
  NEIGHBOUR,
  networkPolicy,
  outside,
  pod,
  SUBJECT,
  TOOL,
  verdict,
} from './testing/scene.ts';
import type { Destination, Flow } from './types.ts';

type Verdict = 'yes' | 'no' | 'unknown';
type Case = readonly [string, object, Flow, Verdict];

const near = outside('203.0.113.7', 'api.example.test');
const far = outside('198.51.100.1', 'a.b.cdn.example.test');
const host: Destination = { kind: 'node', node: 'host' };
const otherNode: Destination = { kind: 'node', node: 'remote-node' };

const allow = (...rules: readonly object[]) => ({ egress: rules });
const on = (port: string | number, rest: object = {}) => ({ toPorts: [{ ports: [{ port, ...rest }] }] });
const labels = (matchLabels: object) => ({ toEndpoints: [{ matchLabels }] });
const expressions = (...matchExpressions: readonly object[]) => ({ toEndpoints: [{ matchExpressions }] });
const entities = (...toEntities: readonly string[]) => allow({ toEntities });
const names = (...toFQDNs: readonly object[]) => allow({ toFQDNs });
const NAMESPACE = 'k8s:io.kubernetes.pod.namespace';

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

const DESTINATIONS: readonly Case[] = [
  ['an address', allow({ toCIDR: ['203.0.113.7'] }), flow(near), 'yes'],
  ['a block', allow({ toCIDR: ['203.0.113.0/24'] }), flow(near), 'yes'],
  ['not beside a block', allow({ toCIDR: ['203.0.113.0/24'] }), flow(far), 'no'],
  [
    'not in an exception',
    allow({ toCIDRSet: [{ cidr: '203.0.113.0/24', except: ['203.0.113.4/30'] }] }),
    flow(near),
    'no',
  ],
  [
    'beside an exception',
    allow({ toCIDRSet: [{ cidr: '203.0.113.0/24', except: ['203.0.113.0/30'] }] }),
    flow(near),
    'yes',
  ],
  [
    'no pod by a block',
    allow({ toCIDR: ['0.0.0.0/0'] }),
    flow({ ...TOOL, address: '10.244.0.9' } as Destination),
    'no',
  ],
  [
    'no node by a block',
    allow({ toCIDR: ['0.0.0.0/0'] }),
    flow({ ...host, address: '192.0.2.1' } as Destination),
    'no',
  ],
  ['a group of blocks is unknown', allow({ toCIDRSet: [{ cidrGroupRef: 'corp' }] }), flow(near), 'unknown'],
  ['own namespace unless it says', allow(labels({ app: 'tool' })), flow(NEIGHBOUR), 'yes'],
  ['not another namespace unless it says', allow(labels({ app: 'tool' })), flow(TOOL), 'no'],
  ['another namespace', allow(labels({ [NAMESPACE]: 'tools', app: 'tool' })), flow(TOOL), 'yes'],
  ['of another namespace not all', allow(labels({ [NAMESPACE]: 'tools', app: 'web' })), flow(TOOL), 'no'],
  ['an empty selector is own pods', allow({ toEndpoints: [{}] }), flow(NEIGHBOUR), 'yes'],
  ['an empty selector is not all pods', allow({ toEndpoints: [{}] }), flow(TOOL), 'no'],
  ['an empty selector is nothing outside', allow({ toEndpoints: [{}] }), flow(near), 'no'],
  [
    'every namespace',
    allow(expressions({ key: 'io.kubernetes.pod.namespace', operator: 'Exists' })),
    flow(TOOL),
    'yes',
  ],
  [
    'all namespaces but one',
    allow(
      expressions(
        { key: 'io.kubernetes.pod.namespace', operator: 'Exists' },
        { key: NAMESPACE, operator: 'NotIn', values: ['tools'] },
      ),
    ),
    flow(TOOL),
    'no',
  ],
  [
    'what has no namespace is unknown',
    allow(expressions({ key: NAMESPACE, operator: 'DoesNotExist' })),
    flow(near),
    'unknown',
  ],
  ['labels of a namespace', allow(labels({ 'k8s:io.cilium.k8s.namespace.labels.env': 'prod' })), flow(TOOL), 'yes'],
  [
    'not a namespace with other labels',
    allow(labels({ 'k8s:io.cilium.k8s.namespace.labels.env': 'prod' })),
    flow(NEIGHBOUR),
    'no',
  ],
  [
    'an account',
    allow(labels({ [NAMESPACE]: 'tools', 'io.cilium.k8s.policy.serviceaccount': 'default' })),
    flow(TOOL),
    'yes',
  ],
  [
    'not another account',
    allow(labels({ [NAMESPACE]: 'tools', 'io.cilium.k8s.policy.serviceaccount': 'x' })),
    flow(TOOL),
    'no',
  ],
  [
    'the own cluster',
    allow(labels({ 'io.cilium.k8s.policy.cluster': 'default', app: 'tool' })),
    flow(NEIGHBOUR),
    'yes',
  ],
  [
    'another cluster is unknown',
    allow(labels({ 'io.cilium.k8s.policy.cluster': 'two', app: 'tool' })),
    flow(NEIGHBOUR),
    'unknown',
  ],
  ['a reserved label is an entity', allow(labels({ 'reserved:host': '' })), flow(host), 'yes'],
  ['a reserved label is no other entity', allow(labels({ 'reserved:host': '' })), flow(otherNode), 'no'],
  ['services are unknown', allow({ toServices: [{ k8sService: { serviceName: 'x' } }] }), flow(near), 'unknown'],
  ['groups are unknown', allow({ toGroups: [{ aws: { securityGroupsIds: ['sg'] } }] }), flow(near), 'unknown'],
  ['nodes by label may be refused', allow({ toNodes: [{}] }), flow(near), 'yes'],
  ['requirements are unknown', allow({ toRequires: ['x'] }), flow(near), 'unknown'],
  [
    'two kinds of destinations in one rule are refused',
    allow({ toCIDR: ['203.0.113.0/24'], toEntities: ['host'] }),
    flow(far),
    'yes',
  ],
  [
    'the same in two rules is a union',
    allow({ toCIDR: ['203.0.113.0/24'] }, { toEntities: ['host'] }),
    flow(far),
    'no',
  ],
  ['an empty list of blocks is none', allow({ toCIDRSet: [], ...on('80') }), flow(near), 'no'],
  ['an empty list of pods is none', allow({ toEndpoints: [], ...on('80') }), flow(NEIGHBOUR), 'no'],
  ['an empty list of names is every destination', allow({ toFQDNs: [], ...on('80') }), flow(near), 'yes'],
  ['ports without a destination are every destination', allow(on('80')), flow(TOOL), 'yes'],
];

const ENTITIES: readonly Case[] = [
  ['all', entities('all'), flow(API_SERVER), 'yes'],
  ['none', entities('none'), flow(near), 'no'],
  ['world is outside', entities('world'), flow(near), 'yes'],
  ['world is no pod', entities('world'), flow(TOOL), 'no'],
  ['world by family', entities('world-ipv6'), flow(near), 'no'],
  ['world of the right family', entities('world-ipv4'), flow(near), 'yes'],
  ['cluster is pods', entities('cluster'), flow(TOOL), 'yes'],
  ['cluster is nodes', entities('cluster'), flow(otherNode), 'yes'],
  ['cluster is nothing outside', entities('cluster'), flow(near), 'no'],
  ['the API server', entities('kube-apiserver'), flow(API_SERVER), 'yes'],
  ['the API server is not its node', entities('kube-apiserver'), flow(host), 'no'],
  ['the own node is the API server that it runs', entities('host'), flow(API_SERVER), 'yes'],
  ['another node is not the own one', entities('remote-node'), flow(host), 'no'],
  ['an entity that is not known is refused', entities('moon'), flow(near), 'yes'],
];

const NAMES: readonly Case[] = [
  ['a name', names({ matchName: 'api.example.test' }), flow(near), 'yes'],
  ['a name in other letters', names({ matchName: 'API.example.test.' }), flow(near), 'yes'],
  ['not another name', names({ matchName: 'evil.example.test' }), flow(near), 'no'],
  ['not an address that no name led to', names({ matchName: 'api.example.test' }), flow(outside('203.0.113.7')), 'no'],
  ['a pattern is one label', names({ matchPattern: '*.example.test' }), flow(near), 'yes'],
  ['a pattern is not two labels', names({ matchPattern: '*.cdn.example.test' }), flow(far), 'no'],
  ['any depth', names({ matchPattern: '**.cdn.example.test' }), flow(far), 'yes'],
  ['not the name itself at any depth', names({ matchPattern: '**.api.example.test' }), flow(near), 'no'],
  ['every name', names({ matchPattern: '*' }), flow(far), 'yes'],
  ['no pod by its name', names({ matchPattern: '*' }), flow(TOOL), 'no'],
];

const PORTS: readonly Case[] = [
  ['a port', allow({ toEntities: ['world'], ...on('80') }), flow(near), 'yes'],
  ['not another port', allow({ toEntities: ['world'], ...on('81') }), flow(near), 'no'],
  ['every protocol unless it says', allow({ toEntities: ['world'], ...on('80') }), flow(near, 80, 'UDP'), 'yes'],
  [
    'not another protocol',
    allow({ toEntities: ['world'], ...on('80', { protocol: 'TCP' }) }),
    flow(near, 80, 'UDP'),
    'no',
  ],
  ['a range', allow({ toEntities: ['world'], ...on('70', { endPort: 80 }) }), flow(near), 'yes'],
  ['not behind a range', allow({ toEntities: ['world'], ...on('70', { endPort: 79 }) }), flow(near), 'no'],
  ['port 0 is every port', allow({ toEntities: ['world'], ...on('0', { protocol: 'TCP' }) }), flow(near), 'yes'],
  [
    'port 0 is no port of another protocol',
    allow({ toEntities: ['world'], ...on('0', { protocol: 'UDP' }) }),
    flow(near),
    'no',
  ],
  ['a port by name', allow({ toEntities: ['cluster'], ...on('web') }), flow(TOOL, 8080), 'yes'],
  [
    'not a port that the pod calls otherwise',
    allow({ toEntities: ['cluster'], ...on('metrics') }),
    flow(TOOL, 8080),
    'no',
  ],
  ['ports are no ICMP', allow({ toEntities: ['world'], ...on('0') }), flow(near, 8, 'ICMP'), 'no'],
  [
    'a type of ICMP',
    allow({ toEntities: ['world'], icmps: [{ fields: [{ type: 8 }] }] }),
    flow(near, 8, 'ICMP'),
    'yes',
  ],
  [
    'not another type of ICMP',
    allow({ toEntities: ['world'], icmps: [{ fields: [{ type: 0 }] }] }),
    flow(near, 8, 'ICMP'),
    'no',
  ],
  ['no port is ICMP too', allow({ toEntities: ['world'] }), flow(near, 8, 'ICMP'), 'yes'],
  ['a part without ports allows nothing', allow({ toEntities: ['world'], toPorts: [{}] }), flow(near), 'no'],
  [
    'ICMP and ports in one rule are refused',
    allow({ toEntities: ['host'], ...on('80'), icmps: [{ fields: [{ type: 8 }] }] }),
    flow(near),
    'yes',
  ],
];

describe.each([
  ['selection', SELECTION],
  ['default deny', DEFAULT_DENY],
  ['destinations', DESTINATIONS],
  ['entities', ENTITIES],
  ['names', NAMES],
  ['ports', PORTS],
])('CiliumNetworkPolicy: %s', (_title, cases) => {
  it.each(cases)('%s', (_case, spec, tried, expected) => {
    expect(verdict(egressOf(CILIUM, [], [ciliumPolicy(spec)]), tried)).toBe(expected);
  });
});

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
