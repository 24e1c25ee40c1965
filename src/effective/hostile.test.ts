/** Policies that are written to be expensive: none of them takes long, and none of them opens anything unseen. */
import { describe, expect, it } from 'vitest';
import { openings } from './compare.ts';
import { describeGrant } from './describe.ts';
import { CILIUM, ciliumPolicy, egressOf, networkPolicy, PLAIN } from './testing/scene.ts';
import type { Grant, World } from './types.ts';

/** Of the processor, as the machine of a test may be busy. What is asked for is a quarter of a second of a warm process. */
const MAX_MS = 750;
const FLOOR = networkPolicy({ policyTypes: ['Egress'] }, 'floor');

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const address = (i: number): string => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

function opened(world: World, networkPolicies: readonly object[], ciliumPolicies: readonly object[]): readonly Grant[] {
  const start = process.threadCpuUsage();
  const after = egressOf(world, [FLOOR, ...networkPolicies], ciliumPolicies);
  const grants = openings(egressOf(world, [FLOOR]), after);
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(MAX_MS);
  return grants;
}

const exceptions = (count: number): object =>
  networkPolicy({
    policyTypes: ['Egress'],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: times(count, (i) => `${address(2 * i)}/32`) } }] }],
  });

const range = (from: number) => [{ ports: [{ port: String(from), endPort: 65_000, protocol: 'TCP' }] }];
const allowedAndDenied = (count: number): object => ({
  egress: times(count, (i) => ({ toCIDR: [`${address(256 * i)}/24`], toPorts: range(1 + i) })),
  egressDeny: times(count, (i) => ({ toCIDR: [`${address(257 * i)}/32`], toPorts: range(2 + i) })),
});
const values = (count: number): object => ({
  egress: [{ toEndpoints: [{}] }],
  egressDeny: times(count, (i) => ({
    toEndpoints: [
      {
        matchExpressions: [
          { key: `k${i}`, operator: 'Exists' },
          { key: `k${i}`, operator: 'NotIn', values: ['v'] },
        ],
      },
    ],
  })),
});
const product = (count: number): object => ({
  egress: [
    {
      toCIDR: times(count, address),
      toPorts: times(count, (i) => ({ ports: [{ port: String(i + 1), protocol: 'TCP' }] })),
    },
  ],
});
const longNames = {
  egress: [{ toFQDNs: times(256, (i) => ({ matchPattern: `${'*.'.repeat(120)}${i}.test` })) }],
};
const manyRequirements = {
  egress: [
    {
      toEndpoints: [
        {
          matchExpressions: [
            { key: 'a', operator: 'In', values: times(5000, (i) => `v${i}`) },
            ...times(5000, (i) => ({ key: 'a', operator: 'NotIn', values: [`w${i}`] })),
          ],
        },
      ],
    },
  ],
};

const CASES: readonly (readonly [string, World, readonly object[], readonly object[]])[] = [
  ['exceptions of one block', PLAIN, [exceptions(20_000)], []],
  ['more of them than are read', PLAIN, [exceptions(70_000)], []],
  [
    'ports of each',
    PLAIN,
    [
      networkPolicy({
        policyTypes: ['Egress'],
        egress: [
          {
            to: times(3000, (i) => ({ ipBlock: { cidr: `${address(2 * i)}/32` } })),
            ports: times(3000, (i) => ({ port: 2 * i + 1 })),
          },
        ],
      }),
    ],
    [],
  ],
  ['allowed and denied ranges', CILIUM, [], [ciliumPolicy(allowedAndDenied(2000))]],
  ['denied values of many labels', CILIUM, [], [ciliumPolicy(values(26))]],
  ['denied values of very many labels', CILIUM, [], [ciliumPolicy(values(1000))]],
  ['blocks and ports that multiply', CILIUM, [], [ciliumPolicy(product(3000))]],
  ['long patterns', CILIUM, [], [ciliumPolicy(longNames)]],
  ['requirements on one label', CILIUM, [], [ciliumPolicy(manyRequirements)]],
  [
    'many of all of these',
    CILIUM,
    times(100, (i) => ({ ...exceptions(20_000 - i), metadata: { namespace: 'team', name: `n${i}` } })),
    times(100, (i) => ciliumPolicy(allowedAndDenied(500 + i), `c${i}`)),
  ],
];

describe('a policy that is written to be expensive', () => {
  it.each(CASES)('is compared in time, and opens something: %s', (_case, world, plain, cilium) => {
    const grants = opened(world, plain, cilium);
    const named = new Set(grants.map(({ source }) => `${source?.kind}/${source?.name}`));
    expect(named.size).toBe(plain.length + cilium.length);
  });

  it('is named when it is nested too deeply to be walked', () => {
    const nested = times(9000, String).reduce<object>((inner) => [inner], []);
    const grants = opened(CILIUM, [], [ciliumPolicy({ egress: [{ toServices: [{ nested }] }] })]);
    expect(grants.map(describeGrant)).toEqual(['what is too complex to compare, on all ports']);
  });

  it('is named when it is not read, and covers nothing, not even itself', () => {
    const grants = opened(PLAIN, [exceptions(200_000)], []);
    expect(grants.map(describeGrant)).toEqual(['what is too complex to compare, on all ports']);
    const egress = egressOf(PLAIN, [FLOOR, exceptions(200_000)]);
    expect(openings(egress, egress).map(({ source }) => source?.name)).toEqual(['np']);
  });

  it('takes nothing from a small one beside it', () => {
    const small = networkPolicy(
      { policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] },
      'small',
    );
    const grants = opened(PLAIN, [exceptions(200_000), small], []);
    expect(grants.filter(({ source }) => source?.name === 'small').map(describeGrant)).toEqual([
      '192.0.2.0/24 on all ports',
    ]);
  });

  it('says nothing of the pods that it is not about', () => {
    const other = exceptions(200_000) as { metadata: object; spec: object };
    const spec = { ...other.spec, podSelector: { matchLabels: { app: 'web' } } };
    expect(opened(PLAIN, [{ ...other, spec }], [])).toEqual([]);
  });

  it('gives the same in another order', () => {
    const policies = times(20, (i) => ciliumPolicy(allowedAndDenied(150 + (i % 3)), `c${i}`));
    const of = (list: readonly object[]) =>
      opened(CILIUM, [], list)
        .map((grant) => JSON.stringify(grant))
        .sort();
    expect(of(policies)).toEqual(of(policies.toReversed()));
  });
});
