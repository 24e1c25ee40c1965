import { describe, expect, it } from 'vitest';
import { openings } from './compare.ts';
import { CILIUM, ciliumPolicy, egressOf } from './testing/scene.ts';
import type { World } from './types.ts';

const dns = [{ matchName: 'api.test' }];
const world = { toEntities: ['world'] };
const on = (port: object, rest: object = {}) => ({ ...world, toPorts: [{ ports: [port], ...rest }] });
const names = (toFQDNs: object) => ({ egress: [{ toFQDNs: [toFQDNs] }] });
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
