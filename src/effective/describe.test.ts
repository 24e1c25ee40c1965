import { expect, it } from 'vitest';
import { describeGrant } from './describe.ts';
import type { Grant } from './types.ts';

const on443 = { ports: [{ protocol: 'TCP', from: 443, to: 443 }] } as const;

it.each<readonly [Grant, string]>([
  [{ peer: { kind: 'everything' }, ports: 'all' }, 'every destination on all ports'],
  [
    { peer: { kind: 'cidr', cidr: '203.0.113.0/24', except: ['203.0.113.128/25'], inCluster: false }, ...on443 },
    '203.0.113.0/24 except 203.0.113.128/25 on TCP 443',
  ],
  [
    { peer: { kind: 'cidr', cidr: '0.0.0.0/0', except: [], inCluster: false }, ...on443 },
    'every IPv4 address outside the cluster on TCP 443',
  ],
  [{ peer: { kind: 'cidr', cidr: '::/0', except: [], inCluster: true }, ...on443 }, 'every IPv6 address on TCP 443'],
  [{ peer: { kind: 'pods', namespaces: [], pods: [] }, ...on443 }, 'every pod in every namespace on TCP 443'],
  [
    {
      peer: {
        kind: 'pods',
        namespaces: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['tools'] }],
        pods: [
          { key: 'app', operator: 'In', values: ['tool'] },
          { key: 'tier', operator: 'NotIn', values: ['a', 'b'] },
          { key: 'old', operator: 'DoesNotExist', values: [] },
        ],
      },
      ...on443,
    },
    'pods with app=tool, tier not in (a, b), no label old in namespace tools on TCP 443',
  ],
  [
    { peer: { kind: 'pods', namespaces: [{ key: 'env', operator: 'Exists', values: [] }], pods: [] }, ...on443 },
    'every pod in namespaces with the label env on TCP 443',
  ],
  [
    { peer: { kind: 'names', names: [{ name: 'a.test' }, { pattern: '*' }] }, ...on443 },
    'a.test, every DNS name on TCP 443',
  ],
  [{ peer: { kind: 'entity', entity: 'remote-node' }, ...on443 }, 'every other node on TCP 443'],
  [
    {
      peer: { kind: 'entity', entity: 'kube-apiserver' },
      ports: [
        { protocol: 'TCP', from: 1, to: 65_535 },
        { protocol: 'UDP', from: 1, to: 9 },
        { protocol: 'TCP', name: 'web' },
        { protocol: 'ICMP', from: 8, to: 8 },
      ],
    },
    'the API server on all TCP ports, UDP 1-9, TCP port "web", ICMP type 8',
  ],
  [
    {
      peer: { kind: 'everything' },
      ...on443,
      layer7: { kind: 'tls', names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name })) },
    },
    'every destination on TCP 443, for TLS to a, b, c, d, e and 2 more',
  ],
  [
    { peer: { kind: 'everything' }, ...on443, layer7: { kind: 'other', rules: '{}' } },
    'every destination on TCP 443, as far as further rules of the policy let it',
  ],
])('%j', (grant, words) => {
  expect(describeGrant(grant)).toBe(words);
});
