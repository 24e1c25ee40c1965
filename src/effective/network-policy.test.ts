import { describe, expect, it } from 'vitest';
import {
  API_SERVER,
  CILIUM,
  egressOf,
  flow,
  NEIGHBOUR,
  networkPolicy,
  outside,
  PLAIN,
  pod,
  TOOL,
  verdict,
} from './testing/scene.ts';
import type { Flow, World } from './types.ts';

const Egress = { policyTypes: ['Egress'] };
const near = outside('203.0.113.7');
const far = outside('198.51.100.1');
const six = outside('2001:db8::7');

type Case = readonly [string, object, Flow, 'yes' | 'no' | 'unknown'];

const to = (...peers: readonly object[]) => ({ ...Egress, egress: [{ to: peers }] });
const ports = (...list: readonly object[]) => ({ ...Egress, egress: [{ ports: list }] });
const block = (cidr: string, ...except: readonly string[]) => to({ ipBlock: { cidr, except } });

/** Each rule with a flow that it allows and one that it does not. */
const CASES: readonly Case[] = [
  ['no egress rule denies all', Egress, flow(near), 'no'],
  ['an empty list of rules denies all', { ...Egress, egress: [] }, flow(near), 'no'],
  ['an empty rule allows all', { ...Egress, egress: [{}] }, flow(near), 'yes'],
  ['an empty list of peers allows all', { ...Egress, egress: [{ to: [], ports: [] }] }, flow(TOOL), 'yes'],
  ['ingress only says nothing about egress', { policyTypes: ['Ingress'] }, flow(near), 'yes'],
  ['no types and no egress rule is ingress only', {}, flow(near), 'yes'],
  ['no types and an egress rule is egress too', { egress: [{ to: [{ podSelector: {} }] }] }, flow(near), 'no'],
  [
    'no types and an egress rule allows what it says',
    { egress: [{ to: [{ podSelector: {} }] }] },
    flow(NEIGHBOUR),
    'yes',
  ],
  ['selects by label', { ...Egress, podSelector: { matchLabels: { app: 'agent' } } }, flow(near), 'no'],
  ['does not select another label', { ...Egress, podSelector: { matchLabels: { app: 'web' } } }, flow(near), 'yes'],
  [
    'selects by expressions that all hold',
    {
      ...Egress,
      podSelector: {
        matchExpressions: [
          { key: 'app', operator: 'In', values: ['agent', 'web'] },
          { key: 'tier', operator: 'Exists' },
        ],
      },
    },
    flow(near),
    'no',
  ],
  [
    'does not select where one expression fails',
    {
      ...Egress,
      podSelector: {
        matchExpressions: [
          { key: 'app', operator: 'Exists' },
          { key: 'tier', operator: 'NotIn', values: ['back'] },
        ],
      },
    },
    flow(near),
    'yes',
  ],
  ['a block', block('203.0.113.0/24'), flow(near), 'yes'],
  ['not beside the block', block('203.0.113.0/24'), flow(far), 'no'],
  ['not in an exception', block('203.0.113.0/24', '203.0.113.0/29'), flow(near), 'no'],
  ['beside an exception', block('203.0.113.0/24', '203.0.113.8/29'), flow(near), 'yes'],
  ['host bits count for nothing', block('203.0.113.99/24'), flow(near), 'yes'],
  ['a block of the other family', block('2001:db8::/32'), flow(six), 'yes'],
  ['every IPv4 address is no IPv6 address', block('0.0.0.0/0'), flow(six), 'no'],
  [
    'own namespace with a pod selector alone',
    to({ podSelector: { matchLabels: { app: 'tool' } } }),
    flow(NEIGHBOUR),
    'yes',
  ],
  [
    'not another namespace with a pod selector alone',
    to({ podSelector: { matchLabels: { app: 'tool' } } }),
    flow(TOOL),
    'no',
  ],
  ['all pods of a namespace', to({ namespaceSelector: { matchLabels: { env: 'prod' } } }), flow(TOOL), 'yes'],
  [
    'no pod of a namespace with other labels',
    to({ namespaceSelector: { matchLabels: { env: 'prod' } } }),
    flow(NEIGHBOUR),
    'no',
  ],
  [
    'a namespace by its name',
    to({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'tools' } } }),
    flow(TOOL),
    'yes',
  ],
  [
    'both selectors of one peer must hold',
    to({ namespaceSelector: { matchLabels: { env: 'prod' } }, podSelector: { matchLabels: { app: 'web' } } }),
    flow(TOOL),
    'no',
  ],
  [
    'of two peers one is enough',
    to({ namespaceSelector: { matchLabels: { env: 'prod' } } }, { podSelector: { matchLabels: { app: 'web' } } }),
    flow(TOOL),
    'yes',
  ],
  ['an empty namespace selector is every namespace', to({ namespaceSelector: {} }), flow(TOOL), 'yes'],
  ['an empty namespace selector is nothing outside', to({ namespaceSelector: {} }), flow(near), 'no'],
  ['an empty pod selector is own pods only', to({ podSelector: {} }), flow(TOOL), 'no'],
  ['a port', ports({ port: 80 }), flow(near), 'yes'],
  ['not another port', ports({ port: 81 }), flow(near), 'no'],
  ['the protocol is TCP unless it says', ports({ port: 80 }), flow(near, 80, 'UDP'), 'no'],
  ['another protocol', ports({ port: 80, protocol: 'UDP' }), flow(near, 80, 'UDP'), 'yes'],
  ['the last port of a range', ports({ port: 70, endPort: 80 }), flow(near), 'yes'],
  ['not behind a range', ports({ port: 70, endPort: 79 }), flow(near), 'no'],
  ['no number is every port of the protocol', ports({ protocol: 'TCP' }), flow(near), 'yes'],
  ['no number is no port of another protocol', ports({ protocol: 'UDP' }), flow(near), 'no'],
  ['a port by name', ports({ port: 'web' }), flow(TOOL, 8080), 'yes'],
  ['not a port that the pod calls otherwise', ports({ port: 'metrics' }), flow(TOOL, 8080), 'no'],
  ['nothing outside has a port by name', ports({ port: 'web' }), flow(near, 8080), 'no'],
  ['an empty peer cannot be read', to({}), flow(near), 'yes'],
  [
    'a block with a selector cannot be read',
    to({ ipBlock: { cidr: '203.0.113.0/24' }, podSelector: {} }),
    flow(far),
    'yes',
  ],
];

describe.each<readonly [string, World]>([
  ['NetworkPolicy', PLAIN],
  ['NetworkPolicy under Cilium', CILIUM],
])('%s', (_name, world) => {
  it.each(CASES)('%s', (_case, spec, tried, expected) => {
    expect(verdict(egressOf(world, [networkPolicy(spec)]), tried)).toBe(expected);
  });

  it('is a union: each policy adds, and one is enough to isolate', () => {
    const both = egressOf(world, [networkPolicy(block('203.0.113.0/24')), networkPolicy(Egress)]);
    expect(both.isolated).toBe(true);
    expect([flow(near), flow(far)].map((tried) => verdict(both, tried))).toEqual(['yes', 'no']);
  });

  it('is of its own namespace', () => {
    const foreign = { ...networkPolicy(Egress), metadata: { namespace: 'tools', name: 'np' } };
    expect(egressOf(world, [foreign]).isolated).toBe(false);
    expect(egressOf(world, [networkPolicy(Egress)]).isolated).toBe(true);
  });

  it('that cannot be read holds nothing shut, and may open anything', () => {
    const unreadable = [
      null,
      'text',
      { metadata: { namespace: 'team' }, spec: 'text' },
      networkPolicy({ ...Egress, egress: {} }),
    ];
    expect(egressOf(world, unreadable as object[]).isolated).toBe(false);
    const beside = egressOf(world, [networkPolicy(Egress), networkPolicy(to({}), 'odd')]);
    expect(verdict(beside, flow(near))).toBe('unknown');
  });
});

describe('what is left to the implementation', () => {
  const atPod = { ...pod('tools', { app: 'tool' }), address: '10.244.0.9' };
  const pods = networkPolicy(block('10.244.0.0/16'));
  const nodes = networkPolicy(block('192.0.2.0/24'));
  const apiServer = { ...API_SERVER, address: '192.0.2.1' };

  it('whether a block means pods and nodes: Cilium never does', () => {
    expect(verdict(egressOf(PLAIN, [pods]), flow(atPod))).toBe('yes');
    expect(verdict(egressOf(CILIUM, [pods]), flow(atPod))).toBe('no');
    expect(verdict(egressOf(PLAIN, [nodes]), flow(apiServer, 6443))).toBe('yes');
    expect(verdict(egressOf(CILIUM, [nodes]), flow(apiServer, 6443))).toBe('no');
  });

  it('an API server outside the cluster is an address to Cilium as well', () => {
    const away = flow({ kind: 'kube-apiserver', address: '192.0.2.1' }, 6443);
    expect(verdict(egressOf(CILIUM, [nodes]), away)).toBe('yes');
    expect(verdict(egressOf(CILIUM, [pods]), away)).toBe('no');
  });

  it('Cilium enforces egress rules of a policy that is of type ingress only', () => {
    const ingress = networkPolicy({ ...block('203.0.113.0/24'), policyTypes: ['Ingress'] });
    expect(verdict(egressOf(PLAIN, [ingress]), flow(far))).toBe('yes');
    expect(verdict(egressOf(CILIUM, [ingress]), flow(far))).toBe('no');
    expect(verdict(egressOf(CILIUM, [ingress]), flow(near))).toBe('yes');
  });

  it('CiliumNetworkPolicies count for nothing elsewhere', () => {
    const cilium = { metadata: { namespace: 'team', name: 'cnp' }, spec: { endpointSelector: {}, egress: [{}] } };
    expect(egressOf(PLAIN, [], [cilium]).isolated).toBe(false);
    expect(egressOf(CILIUM, [], [cilium]).isolated).toBe(true);
  });
});
