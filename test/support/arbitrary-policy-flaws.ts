/** Generated policies with one flaw: valid but for one destination, which the schema lets through and compilation has to refuse by its place. */
import fc from 'fast-check';
import { type Ground, policyFor, type Written, type WrittenDestination } from './arbitrary-policy.ts';
import { NEVER_OPEN } from './arbitrary-policy-cidr.ts';
import { RESOLVER } from './arbitrary-policy-facts.ts';
import { blockText, lastOf, parseRange, rangeAround } from './ip-range.ts';

export interface Flawed {
  readonly written: Written;
  readonly rule: string;
  readonly index: number;
}

const block = (text: string, except?: readonly string[]): WrittenDestination => ({
  cidr: { block: text, ...(except === undefined ? {} : { except }) },
});

/** One address of what no policy may open, and the block that reaches it from outside. */
const forbidden = fc.constantFrom(...NEVER_OPEN).chain((text) => {
  const { family, first, prefix } = parseRange(text);
  const last = lastOf(parseRange(text));
  const bits = family === 'IPv4' ? 32 : 128;
  return fc.constantFrom(
    rangeAround(family, first, bits),
    rangeAround(family, last, bits),
    rangeAround(family, first, prefix),
    rangeAround(family, first, prefix - 1),
  );
});

const blocks = fc.oneof(
  forbidden.map((range) => block(blockText(range))),
  fc.constantFrom(
    block('203.0.113.1/24'),
    block('2001:db8::1/64'),
    block('203.0.113.0/33'),
    block('2001:db8::/129'),
    block('203.0.113.0/024'),
    block('203.0.113/24'),
    block('3405803776/32'),
    block('::ffff:203.0.113.0/120'),
    block('::ffff:cb00:7100/120'),
    block('2001:db8:0::/48'),
    block('2001:0db8::/32'),
    block('203.0.113.0/24', ['203.0.114.0/25']),
    block('203.0.113.0/24', ['203.0.113.0/24']),
    block('203.0.113.0/24', ['203.0.112.0/23']),
    block('203.0.113.0/24', ['203.0.113.1/25']),
    block('203.0.113.0/24', ['2001:db8::/64']),
    block('203.0.113.0/24', ['203.0.113.128/25', '0.0.0.0/32']),
  ),
);

const names = fc.constantFrom<WrittenDestination>(
  { domain: { name: 'cluster.local' } },
  { domain: { name: 'kubernetes.default.svc.cluster.local' } },
  { domain: { suffix: 'svc.cluster.local', depth: 'AnyDepth' } },
  { domain: { suffix: 'co.uk', depth: 'OneLabel' } },
  { domain: { suffix: 'github.io', depth: 'AnyDepth' } },
);

/** At a port range around 53. */
const resolver = fc.constantFrom<WrittenDestination>(
  { workloads: RESOLVER },
  { workloads: { namespace: RESOLVER.namespace, podLabels: { tier: 'dns' } } },
  { workloads: { namespace: RESOLVER.namespace, podLabels: { constructor: 'x' } } },
);

export function flawedPolicyFor(place: Ground): fc.Arbitrary<Flawed> {
  const flaw = fc.oneof(
    { weight: 4, arbitrary: blocks },
    { weight: 1, arbitrary: names },
    { weight: 1, arbitrary: resolver },
  );
  return fc.tuple(policyFor(place), flaw, fc.nat({ max: 3 })).map(([written, to, index]) => {
    const around = (written.allow ?? []).slice(0, 3);
    const beside: WrittenDestination[] = Array.from({ length: index }, () => block('198.51.100.0/24'));
    const rule = { name: 'flawed', to: [...beside, to], ports: [{ protocol: 'UDP', port: 50, endPort: 60 }] };
    const dns = { access: 'ClusterResolver' };
    return {
      written: { ...written, ipFamilies: ['IPv4', 'IPv6'], dns, allow: [...around, rule] },
      rule: rule.name,
      index,
    };
  });
}
