import { describe, expect, it } from 'vitest';
import { openings } from './compare.ts';
import { describeGrant } from './describe.ts';
import { CILIUM, ciliumPolicy, egressOf, networkPolicy } from './testing/scene.ts';

const ACCOUNT = { 'k8s:io.cilium.k8s.policy.serviceaccount': 'research' };
const DNS = { matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'kube-system', 'k8s:k8s-app': 'kube-dns' } };
const tcp = (port: number, endPort?: number) => [
  { ports: [{ port: String(port), protocol: 'TCP', ...(endPort && { endPort }) }] },
];

const OURS = ciliumPolicy(
  {
    endpointSelector: { matchLabels: ACCOUNT },
    egress: [
      {
        toEndpoints: [DNS],
        toPorts: [
          {
            ports: [{ port: '53', protocol: 'ANY' }],
            rules: { dns: [{ matchName: 'api.example.test' }, { matchPattern: '*.cdn.example.test' }] },
          },
        ],
      },
      { toFQDNs: [{ matchName: 'api.example.test' }, { matchPattern: '*.cdn.example.test' }], toPorts: tcp(443) },
      {
        toCIDRSet: [{ cidr: '203.0.113.0/25' }, { cidr: '203.0.113.128/25', except: ['203.0.113.192/26'] }],
        toPorts: tcp(8000, 8010),
      },
      {
        toEndpoints: [{ matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'tools', 'k8s:app': 'tool' } }],
        toPorts: tcp(8080),
      },
      { toEntities: ['kube-apiserver'], toPorts: tcp(6443) },
    ],
  },
  'ours',
);
const before = egressOf(CILIUM, [], [OURS]);

function opened(networkPolicies: readonly object[], ciliumPolicies: readonly object[] = []): readonly string[] {
  const grants = openings(before, egressOf(CILIUM, networkPolicies, [OURS, ...ciliumPolicies]));
  return grants.map((grant) => `${grant.source?.name ?? 'nothing'}: ${describeGrant(grant)}`);
}

const np = (...egress: readonly object[]) => [networkPolicy({ policyTypes: ['Egress'], egress })];
const cnp = (...egress: readonly object[]) => [ciliumPolicy({ egress })];
const block = (cidr: string, ...except: readonly string[]) => ({ ipBlock: { cidr, except } });

describe('a policy beside ours raises no alarm', () => {
  it.each<readonly [string, readonly object[], readonly object[]]>([
    ['that is ingress only', [networkPolicy({ policyTypes: ['Ingress'], ingress: [{}] })], []],
    ['of ingress in Cilium', [], [ciliumPolicy({ ingress: [{ fromEntities: ['all'] }] })]],
    ['for other pods', [networkPolicy({ podSelector: { matchLabels: { app: 'web' } }, egress: [{}] })], []],
    [
      'for another account',
      [],
      [
        ciliumPolicy({
          endpointSelector: { matchLabels: { 'k8s:io.cilium.k8s.policy.serviceaccount': 'x' } },
          egress: [{ toEntities: ['all'] }],
        }),
      ],
    ],
    [
      'of another namespace',
      [{ ...networkPolicy({ egress: [{}] }), metadata: { namespace: 'tools', name: 'np' } }],
      [],
    ],
    ['that allows nothing', np(), []],
    ['with less addresses', np({ to: [block('203.0.113.64/26')], ports: [{ port: 8000 }] }), []],
    [
      'that two of our blocks cover together',
      np({ to: [block('203.0.113.0/24', '203.0.113.192/26')], ports: [{ port: 8000, endPort: 8010 }] }),
      [],
    ],
    [
      'with a part of our ports',
      np({ to: [block('203.0.113.7/32')], ports: [{ port: 8001 }, { port: 8009, endPort: 8010 }] }),
      [],
    ],
    [
      'with more labels than ours',
      np({
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'tools' } },
            podSelector: { matchLabels: { app: 'tool', tier: 'a' } },
          },
        ],
        ports: [{ port: 8080 }],
      }),
      [],
    ],
    [
      'with an expression that implies ours',
      [],
      cnp({
        toEndpoints: [
          {
            matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'tools' },
            matchExpressions: [{ key: 'app', operator: 'In', values: ['tool'] }],
          },
        ],
        toPorts: tcp(8080),
      }),
    ],
    ['with one of our names', [], cnp({ toFQDNs: [{ matchName: 'a.cdn.example.test' }], toPorts: tcp(443) })],
    [
      'that filters queries as we do',
      [],
      cnp({
        toEndpoints: [DNS],
        toPorts: [{ ports: [{ port: '53', protocol: 'UDP' }], rules: { dns: [{ matchName: 'b.cdn.example.test' }] } }],
      }),
    ],
    ['that only denies', [], [ciliumPolicy({ egressDeny: [{ toEntities: ['world'] }] })]],
    [
      'that allows what it denies',
      [],
      [ciliumPolicy({ egress: [{ toCIDR: ['198.51.100.0/24'] }], egressDeny: [{ toEntities: ['world'] }] })],
    ],
    ['for the same entity', [], cnp({ toEntities: ['kube-apiserver'], toPorts: tcp(6443) })],
    [
      'with a selector that cannot be met',
      np({
        to: [
          {
            podSelector: {
              matchExpressions: [
                { key: 'a', operator: 'Exists' },
                { key: 'a', operator: 'DoesNotExist' },
              ],
            },
          },
        ],
      }),
      [],
    ],
  ])('%s', (_case, networkPolicies, ciliumPolicies) => {
    expect(opened(networkPolicies, ciliumPolicies)).toEqual([]);
  });
});

describe('a policy beside ours is found with what it opens', () => {
  it.each<readonly [string, readonly object[], readonly object[], readonly string[]]>([
    ['everything', np({}), [], ['np: every destination on all ports']],
    [
      'ports',
      np({ to: [block('203.0.113.7/32')], ports: [{ port: 8005, endPort: 8012 }] }),
      [],
      ['np: 203.0.113.7/32 on TCP 8011-8012'],
    ],
    [
      'a larger block',
      np({ to: [block('203.0.112.0/23')], ports: [{ port: 8000 }] }),
      [],
      ['np: 203.0.112.0/24 on TCP 8000', 'np: 203.0.113.192/26 on TCP 8000'],
    ],
    [
      'what we except',
      np({ to: [block('203.0.113.128/25')], ports: [{ port: 8000 }] }),
      [],
      ['np: 203.0.113.192/26 on TCP 8000'],
    ],
    [
      'the other family',
      np({ to: [block('::/0')], ports: [{ port: 8000 }] }),
      [],
      ['np: every IPv6 address outside the cluster on TCP 8000'],
    ],
    [
      'another protocol',
      np({ to: [block('203.0.113.7/32')], ports: [{ port: 8000, protocol: 'UDP' }] }),
      [],
      ['np: 203.0.113.7/32 on UDP 8000'],
    ],
    ['own pods', np({ to: [{ podSelector: {} }] }), [], ['np: every pod in namespace team on all ports']],
    [
      'other labels',
      np({
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'tools' } },
            podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['tool', 'web'] }] },
          },
        ],
        ports: [{ port: 8080 }],
      }),
      [],
      ['np: pods with app=web in namespace tools on TCP 8080'],
    ],
    [
      'a port by name',
      np({
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'tools' } },
            podSelector: { matchLabels: { app: 'tool' } },
          },
        ],
        ports: [{ port: 'web' }],
      }),
      [],
      ['np: pods with app=tool in namespace tools on TCP port "web"'],
    ],
    [
      'names',
      [],
      cnp({ toFQDNs: [{ matchPattern: '*.evil.test' }, { matchName: 'api.example.test' }], toPorts: tcp(443) }),
      ['cnp: *.evil.test on TCP 443'],
    ],
    [
      'a filter that ours was',
      [],
      cnp({ toEndpoints: [DNS], toPorts: [{ ports: [{ port: '53', protocol: 'UDP' }] }] }),
      ['cnp: pods with k8s-app=kube-dns in namespace kube-system on UDP 53'],
    ],
    [
      'names to ask for',
      [],
      cnp({
        toEndpoints: [DNS],
        toPorts: [{ ports: [{ port: '53', protocol: 'UDP' }], rules: { dns: [{ matchPattern: '*' }] } }],
      }),
      ['cnp: pods with k8s-app=kube-dns in namespace kube-system on UDP 53, for DNS queries of *'],
    ],
    ['an entity', [], cnp({ toEntities: ['host'] }), ["cnp: the pod's own node on all ports"]],
    [
      'more of an entity',
      [],
      cnp({ toEntities: ['kube-apiserver'] }),
      ['cnp: the API server on TCP 0-6442, TCP 6444-65535, all UDP ports, all SCTP ports, all ICMP types and 2 more'],
    ],
    [
      'what cannot be told',
      [],
      cnp({ toServices: [{}] }),
      ['cnp: what spec.egress[0].toServices selects, which cannot be told from the policy, on all ports'],
    ],
    [
      'an empty list that is every destination',
      [],
      cnp({ toFQDNs: [], toPorts: tcp(25) }),
      ['cnp: every destination on TCP 25'],
    ],
    [
      'all but what it denies',
      [],
      [
        ciliumPolicy({
          egress: [{ toCIDR: ['10.0.0.0/8'], toPorts: tcp(80) }],
          egressDeny: [{ toCIDR: ['10.0.0.0/9'] }],
        }),
      ],
      ['cnp: 10.128.0.0/9 on TCP 80'],
    ],
  ])('%s', (_case, networkPolicies, ciliumPolicies, words) => {
    expect(opened(networkPolicies, ciliumPolicies)).toEqual(words);
  });

  it('everything, when what isolated the pod is gone', () => {
    const grants = openings(before, egressOf(CILIUM, [], []));
    expect(grants).toEqual([{ peer: { kind: 'everything' }, ports: 'all' }]);
    expect(openings(egressOf(CILIUM, [], []), before)).toEqual([]);
  });

  it('what was denied, when the denial is gone', () => {
    const allow = ciliumPolicy({ egress: [{ toCIDR: ['10.0.0.0/8'] }] }, 'allow');
    const deny = ciliumPolicy({ egressDeny: [{ toCIDR: ['10.1.0.0/16'], toPorts: tcp(80) }] }, 'deny');
    const grants = openings(egressOf(CILIUM, [], [allow, deny]), egressOf(CILIUM, [], [allow]));
    expect(grants.map(describeGrant)).toEqual(['10.1.0.0/16 on TCP 80']);
    expect(openings(egressOf(CILIUM, [], [allow]), egressOf(CILIUM, [], [allow, deny]))).toEqual([]);
  });

  it('what a filter kept back, when the filter is gone and a wider rule stays', () => {
    const wide = ciliumPolicy({ egress: [{ toEndpoints: [DNS] }] }, 'wide');
    const filter = ciliumPolicy({
      egress: [
        {
          toEndpoints: [DNS],
          toPorts: [{ ports: [{ port: '53', protocol: 'UDP' }], rules: { dns: [{ matchName: 'x.test' }] } }],
        },
      ],
    });
    const grants = openings(egressOf(CILIUM, [], [wide, filter]), egressOf(CILIUM, [], [wide]));
    expect(grants.map(describeGrant)).toEqual(['pods with k8s-app=kube-dns in namespace kube-system on UDP 53']);
    expect(openings(egressOf(CILIUM, [], [wide]), egressOf(CILIUM, [], [wide, filter]))).toEqual([]);
  });
});
