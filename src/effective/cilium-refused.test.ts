import { describe, expect, it } from 'vitest';
import { openings } from './compare.ts';
import { CILIUM, ciliumPolicy, egressOf } from './testing/scene.ts';
import type { World } from './types.ts';

const dns = [{ matchName: 'api.test' }];
const world = { toEntities: ['world'] };
const on = (port: object, rest: object = {}) => ({ ...world, toPorts: [{ ports: [port], ...rest }] });
const names = (toFQDNs: object) => ({ egress: [{ toFQDNs: [toFQDNs] }] });
const ports = (count: number) => Array.from({ length: count }, (_, i) => ({ port: String(i + 1), protocol: 'TCP' }));
const types = (count: number) => Array.from({ length: count }, (_, type) => ({ type }));
const selected = (expression: object) => ({ egress: [{ toEndpoints: [{ matchExpressions: [expression] }] }] });
const blocks = (block: object) => ({ egress: [{ toCIDRSet: [block] }] });

/** What Cilium's agents refuse as a whole, beside what is nearest to it and accepted. See pkg/policy/api/rule_validation.go. */
const CASES: readonly (readonly [string, object, object])[] = [
  ['a node selector', { nodeSelector: {}, egress: [{}] }, { egress: [{}] }],
  [
    'two kinds of destinations',
    { egress: [{ toCIDR: ['10.0.0.0/8'], ...world }] },
    { egress: [{ toCIDR: ['10.0.0.0/8'] }, world] },
  ],
  ['an entity that is not known', { egress: [{ toEntities: ['moon'] }] }, { egress: [world] }],
  ['an address without a length', blocks({ cidr: '10.0.0.0' }), blocks({ cidr: '10.0.0.0/32' })],
  [
    'an exception outside',
    blocks({ cidr: '10.0.0.0/8', except: ['11.0.0.0/9'] }),
    blocks({ cidr: '10.0.0.0/8', except: ['10.0.0.0/9'] }),
  ],
  ['what is no block', { egress: [{ toCIDR: ['10.0.0'] }] }, { egress: [{ toCIDR: ['10.0.0.1'] }] }],
  [
    'ICMP with ports',
    { egress: [{ ...on({ port: '80' }), icmps: [{ fields: [{ type: 8 }] }] }] },
    { egress: [on({ port: '80' }), { ...world, icmps: [{ fields: [{ type: 8 }] }] }] },
  ],
  ['a port that is none', { egress: [on({ port: '65536' })] }, { egress: [on({ port: '65535' })] }],
  ['a port in octal', { egress: [on({ port: '010' })] }, { egress: [on({ port: '10' })] }],
  [
    'DNS rules of no port',
    { egress: [{ ...world, toPorts: [{ ports: [], rules: { dns } }] }] },
    { egress: [on({ port: '53' }, { rules: { dns } })] },
  ],
  [
    'DNS rules of a range',
    { egress: [on({ port: '53', endPort: 54 }, { rules: { dns } })] },
    { egress: [on({ port: '53', endPort: 54 })] },
  ],
  ['DNS rules of all ports', { egress: [on({ port: '0' }, { rules: { dns } })] }, { egress: [on({ port: '0' })] }],
  [
    'HTTP rules of UDP',
    { egress: [on({ port: '80' }, { rules: { http: [{}] } })] },
    { egress: [on({ port: '80', protocol: 'TCP' }, { rules: { http: [{}] } })] },
  ],
  [
    'HTTP rules of all ports',
    { egress: [on({ port: '0', protocol: 'TCP' }, { rules: { http: [{}] } })] },
    { egress: [on({ port: '0', protocol: 'TCP' }, { rules: { http: [] } })] },
  ],
  [
    'server names with DNS rules',
    { egress: [on({ port: '53' }, { rules: { dns }, serverNames: ['a.test'] })] },
    { egress: [on({ port: '53' }, { serverNames: ['a.test'] })] },
  ],
  ['a port name of 16 letters', { egress: [on({ port: 'a'.repeat(16) })] }, { egress: [on({ port: 'a'.repeat(15) })] }],
  ['a port name with two hyphens', { egress: [on({ port: 'a--b' })] }, { egress: [on({ port: 'a-b' })] }],
  [
    '41 ports in one entry',
    { egress: [{ ...world, toPorts: [{ ports: ports(41) }] }] },
    { egress: [{ ...world, toPorts: [{ ports: ports(40) }] }] },
  ],
  [
    '41 ICMP types in one entry',
    { egress: [{ ...world, icmps: [{ fields: types(41) }] }] },
    { egress: [{ ...world, icmps: [{ fields: types(40) }] }] },
  ],
  [
    'a port of a protocol without ports',
    { egress: [on({ port: '80', protocol: 'GRE' })] },
    { egress: [on({ port: '0', protocol: 'GRE' })] },
  ],
  [
    'an empty server name',
    { egress: [on({ port: '443' }, { serverNames: [''] })] },
    { egress: [on({ port: '443' }, { serverNames: ['a.test'] })] },
  ],
  [
    'Exists with values',
    selected({ key: 'a', operator: 'Exists', values: ['b'] }),
    selected({ key: 'a', operator: 'Exists' }),
  ],
  [
    'In without values',
    selected({ key: 'a', operator: 'In', values: [] }),
    selected({ key: 'a', operator: 'In', values: ['b'] }),
  ],
  [
    'a label key that is none',
    selected({ key: '-bad key-', operator: 'Exists' }),
    selected({ key: 'k8s:good.test/key', operator: 'Exists' }),
  ],
  [
    'a label value that is none',
    selected({ key: 'a', operator: 'In', values: ['b c'] }),
    selected({ key: 'a', operator: 'In', values: [''] }),
  ],
  ['a name with a star', names({ matchName: '*.test' }), names({ matchPattern: '*.test' })],
  ['a pattern with other characters', names({ matchPattern: '[a].test' }), names({ matchPattern: 'a.test' })],
  ['a name and a pattern in one', names({ matchName: 'a.test', matchPattern: '*' }), names({ matchName: 'a.test' })],
  [
    'two sources of ingress in one rule',
    { ingress: [{ fromCIDR: ['10.0.0.0/8'], fromEntities: ['world'] }], egress: [{}] },
    { ingress: [{ fromCIDR: ['10.0.0.0/8'] }], egress: [{}] },
  ],
  [
    'DNS rules of ingress',
    { ingress: [{ toPorts: [{ ports: [{ port: '53' }], rules: { dns } }] }], egress: [{}] },
    { ingress: [{ toPorts: [{ ports: [{ port: '53' }] }] }], egress: [{}] },
  ],
];

describe('a policy that is refused holds nothing shut, and may open', () => {
  it.each(CASES)('%s', (_case, refused, accepted) => {
    expect(egressOf(CILIUM, [], [ciliumPolicy(refused)]).isolated).toBe(false);
    expect(egressOf(CILIUM, [], [ciliumPolicy(accepted)]).isolated).toBe(true);
    const floor = ciliumPolicy({ egress: [{}] }, 'floor');
    const opened = openings(egressOf(CILIUM, [], [floor]), egressOf(CILIUM, [], [floor, ciliumPolicy(refused)]));
    expect(opened.map(({ peer }) => peer.kind)).toEqual(['unknown']);
  });

  it.each(CASES)('for other pods it says nothing: %s', (_case, refused) => {
    const policy = ciliumPolicy({ ...refused, endpointSelector: { matchLabels: { app: 'web' } } });
    expect(egressOf(CILIUM, [], [policy]).grants).toEqual(egressOf(CILIUM, [], []).grants);
  });

  it('with all its parts, when one of them is refused that is about other pods', () => {
    const { metadata } = ciliumPolicy({}) as { metadata: object };
    const [good, bad] = [
      { endpointSelector: {}, egress: [{}] },
      { endpointSelector: { matchLabels: { app: 'web' } }, egress: [] },
    ];
    expect(egressOf(CILIUM, [], [{ metadata, specs: [good, bad] }]).isolated).toBe(false);
    expect(egressOf(CILIUM, [], [{ metadata, specs: [good, { ...bad, egress: [{}] }] }]).isolated).toBe(true);
  });

  it('without a rule it can open nothing either', () => {
    const floor = ciliumPolicy({ egress: [{}] }, 'floor');
    expect(egressOf(CILIUM, [], [ciliumPolicy({ egress: [] })]).isolated).toBe(false);
    expect(
      openings(egressOf(CILIUM, [], [floor]), egressOf(CILIUM, [], [floor, ciliumPolicy({ egress: [] })])),
    ).toEqual([]);
  });

  it('with DNS or HTTP rules, when the proxy for them is off', () => {
    const policy = ciliumPolicy({ egress: [on({ port: '53', protocol: 'TCP' }, { rules: { dns } })] });
    const of = (withoutLayer7: boolean): World => ({ ...CILIUM, withoutLayer7 });
    expect(egressOf(of(false), [], [policy]).isolated).toBe(true);
    expect(egressOf(of(true), [], [policy]).isolated).toBe(false);
  });
});

describe('a denial counts only in a policy that Cilium certainly takes', () => {
  const all = ciliumPolicy({ egress: [{ toEntities: ['all'] }] }, 'all');
  const denial = { egressDeny: [{ toEntities: ['all'] }] };
  const opens = (...policies: readonly object[]): boolean => {
    const floor = ciliumPolicy({ egress: [{}] }, 'floor');
    const after = egressOf(CILIUM, [], [floor, all, ...policies]);
    return openings(egressOf(CILIUM, [], [floor]), after).some(({ source }) => source?.name === 'all');
  };

  it('which one is that says nothing else, or what is valid', () => {
    expect(opens()).toBe(true);
    expect(opens(ciliumPolicy(denial))).toBe(false);
    const more = [{ toEndpoints: [{ matchLabels: { 'k8s:a': 'b' } }], toPorts: [{ ports: [{ port: '80' }] }] }];
    expect(opens(ciliumPolicy({ ...denial, egress: more, description: 'text', enableDefaultDeny: {} }))).toBe(false);
    expect(opens(ciliumPolicy({ ...denial, ingress: [{ fromCIDRSet: [{ cidr: '::/0' }] }] }))).toBe(false);
  });

  it.each(CASES)('not beside what is refused: %s', (_case, refused, accepted) => {
    const withDenial = (spec: object) => ({
      specs: [
        { endpointSelector: {}, ...spec },
        { endpointSelector: {}, ...denial },
      ],
    });
    const { metadata } = ciliumPolicy({}) as { metadata: object };
    expect(opens({ metadata, ...withDenial(refused) })).toBe(true);
    expect(egressOf(CILIUM, [], [{ metadata, ...withDenial(accepted) }]).isolated).toBe(true);
  });

  it.each<readonly [string, object]>([
    ['an endpoint selector', { endpointSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] } }],
    ['a source of ingress', { ingress: [{ fromEntities: ['moon'] }] }],
    ['a selector of ingress', { ingress: [{ fromEndpoints: [{ matchLabels: { '-': '' } }] }] }],
    ['an HTTP rule', { ingress: [on({ port: '80', protocol: 'TCP' }, { rules: { http: [{ path: '(' }] } })] }],
    ['a field that is not known', { egress: [{ toMoon: [{}] }] }],
    ['nodes', { ingress: [{ fromNodes: [{}] }] }],
    ['a protocol that is not known', { egress: [on({ port: '0', protocol: 'MOON' })] }],
    ['labels of the policy', { labels: [{ key: 1 }] }],
    ['an end that is no number', { egress: [on({ port: '80', endPort: '81' })] }],
    ['a block that is read in two ways', { egress: [{ toCIDR: ['::ffff:10.0.0.1'] }] }],
  ])('not beside what is not checked, or not taken: %s', (_case, more) => {
    expect(opens(ciliumPolicy({ ...denial, ...more }))).toBe(true);
  });
});
