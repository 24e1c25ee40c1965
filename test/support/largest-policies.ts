/** The largest policies that the schema allows, each at its limit in another dimension: what must stay quick, and small enough to be stored. */
import type { Written, WrittenDestination, WrittenRule } from './arbitrary-policy.ts';
import type { Port } from './arbitrary-policy-parts.ts';
import { addressText } from './ip-range.ts';

const MAX_RULES = 32;
const MAX_ALL_DESTINATIONS = 256;
const MAX_DESTINATIONS = 32;
const MAX_PORTS = 24;
const MAX_EXCEPTS = 8;
const MAX_LABELS = 4;

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const label63 = (i: number): string => `${'x'.repeat(57)}${String(i).padStart(6, '0')}`;

const ranges: readonly Port[] = times(MAX_PORTS, (i) => ({
  protocol: i % 2 === 0 ? 'TCP' : 'UDP',
  port: 1000 * i + 100,
  endPort: 1000 * i + 999,
}));
const singles: readonly Port[] = times(MAX_PORTS, (i) => ({ protocol: i % 2 === 0 ? 'TCP' : 'UDP', port: 40_000 + i }));

/** 32 rules of 8 destinations. */
function wide(destination: (i: number) => WrittenDestination, ports = ranges): WrittenRule[] {
  const each = MAX_ALL_DESTINATIONS / MAX_RULES;
  return times(MAX_RULES, (rule) => ({
    name: label63(rule),
    to: times(each, (i) => destination(rule * each + i)),
    ports,
  }));
}

/** 8 rules of 32 destinations. */
function deep(destination: (i: number) => WrittenDestination, ports = ranges): WrittenRule[] {
  return times(MAX_ALL_DESTINATIONS / MAX_DESTINATIONS, (rule) => ({
    name: label63(rule),
    to: times(MAX_DESTINATIONS, (i) => destination(rule * MAX_DESTINATIONS + i)),
    ports,
  }));
}

function policy(allow: readonly WrittenRule[], rest: object = {}): Written {
  const named = allow.some((rule) => rule.to.some(({ domain }) => domain !== undefined));
  const dns = named ? { dns: { access: 'ClusterResolver' } } : {};
  return { id: 'i'.repeat(63), profileRef: { name: 'research' }, ...dns, allow, ...rest };
}

const longName = (i: number): WrittenDestination => ({
  domain: { name: `${label63(i)}.${label63(0)}.${label63(0)}.${'y'.repeat(53)}.example` },
});
const longSuffix = (i: number): WrittenDestination => ({
  domain: {
    suffix: `${label63(i)}.${label63(0)}.${label63(0)}.${'y'.repeat(51)}.example`,
    depth: i % 2 === 0 ? 'AnyDepth' : 'OneLabel',
  },
});
const manyLabels = (i: number): WrittenDestination => ({ domain: { name: `${'a.'.repeat(120)}${i}.example` } });

/** Written as long as an address can be. */
const block6 = (i: number): WrittenDestination => {
  const base = (0x2001_1111_2222_3333_4444_5555n << 32n) + (BigInt(0x1111 + i) << 16n);
  return {
    cidr: {
      block: `${addressText('IPv6', base)}/112`,
      except: times(MAX_EXCEPTS, (k) => `${addressText('IPv6', base + BigInt(0x1111 + k))}/128`),
    },
  };
};
/** Next to each other, so that all of them have to be looked at together. */
const block4 = (i: number): WrittenDestination => {
  const base = BigInt(11 * 2 ** 24 + i * 2 ** 16);
  const except = times(MAX_EXCEPTS, (k) => `${addressText('IPv4', base + BigInt(256 * (2 * k + 1)))}/24`);
  return { cidr: { block: `${addressText('IPv4', base)}/16`, except } };
};
const workloads = (i: number): WrittenDestination => ({
  workloads: {
    namespace: label63(i),
    podLabels: Object.fromEntries(
      times(MAX_LABELS, (k) => [
        `${'d'.repeat(63)}.example/${'k'.repeat(54)}${k}`,
        `${'v'.repeat(57)}${String(i).padStart(6, '0')}`,
      ]),
    ),
  },
});
const mixed = (i: number): WrittenDestination => [longName, longSuffix, block6, workloads][i % 4]?.(i) ?? longName(i);

export interface LargestPolicy {
  readonly what: string;
  readonly spec: Written;
  /** Whether it can be expressed without names. */
  readonly plain: boolean;
}

export const LARGEST_POLICIES: readonly LargestPolicy[] = [
  { what: '256 names of 253 characters, at 24 ranges of ports', spec: policy(wide(longName)), plain: false },
  { what: '256 suffixes of 251 characters', spec: policy(deep(longSuffix)), plain: false },
  { what: '256 names of 122 labels', spec: policy(wide(manyLabels)), plain: false },
  {
    what: '256 names, and every name may be resolved',
    spec: policy(deep(longName), { dns: { access: 'ClusterResolver', queries: 'Any' } }),
    plain: false,
  },
  { what: '256 IPv6 blocks with 8 exceptions each', spec: policy(wide(block6)), plain: true },
  { what: '256 adjacent IPv4 blocks with 8 exceptions each', spec: policy(deep(block4)), plain: true },
  { what: '256 workloads by 4 of the longest labels', spec: policy(wide(workloads)), plain: true },
  { what: '256 destinations of every kind', spec: policy(wide(mixed)), plain: false },
  { what: 'one destination 256 times', spec: policy(deep(() => block6(0))), plain: true },
  {
    what: 'the API server in each of 32 rules, at 24 ports',
    spec: policy(wide((i) => (i % 8 === 0 ? { kubeAPIServer: {} } : block4(i)), singles)),
    plain: true,
  },
];
