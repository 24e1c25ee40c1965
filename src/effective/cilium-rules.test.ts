import {
  allow,
  type Case,
  describeCases,
  entities,
  expressions,
  far,
  host,
  labels,
  NAMESPACE,
  names,
  near,
  on,
  otherNode,
} from './testing/cilium-cases.ts';
import { API_SERVER, flow, NEIGHBOUR, outside, TOOL } from './testing/scene.ts';
import type { Destination } from './types.ts';

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

describeCases('destinations', DESTINATIONS);
describeCases('entities', ENTITIES);
describeCases('names', NAMES);
describeCases('ports', PORTS);
