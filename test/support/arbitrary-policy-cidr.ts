/** Generated blocks of addresses: valid, and often at the edge of the address space, of a forbidden block or of each other. */
import fc from 'fast-check';
import { bitsOf, blockText, covers, type Family, lastOf, parseRange, type Range, rangeAround } from './ip-range.ts';

/** What no policy may open (docs/egress.md): a wider block has to except it. */
export const NEVER_OPEN: readonly string[] = [
  '169.254.0.0/16',
  '127.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fe80::/10',
  '::1/128',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  '64:ff9b::a9fe:0/112',
  'fd00:42::42/128',
  '2002::/16',
];
const NEVER_OPEN_RANGES = NEVER_OPEN.map(parseRange);

/** The most that `except` may list. */
const MAX_EXCEPTS = 8;

const FAMILY_SEEDS: Readonly<Record<Family, readonly bigint[]>> = {
  // 203.0.113.0, 10.0.0.0, 192.0.2.0, 169.0.0.0, 0.0.0.0, 255.255.255.255
  IPv4: [0xcb007100n, 0x0a000000n, 0xc0000200n, 0xa9000000n, 0n, 0xffffffffn],
  // 2001:db8::, fd00::, 64:ff9b::, ::, and the last address
  IPv6: [0x20010db8n << 96n, 0xfdn << 120n, 0x0064ff9bn << 96n, 0n, (1n << 128n) - 1n],
};

function address(family: Family): fc.Arbitrary<bigint> {
  const near = fc.tuple(fc.constantFrom(...FAMILY_SEEDS[family]), fc.bigInt({ min: 0n, max: 0xffffn }));
  const limit = (1n << BigInt(bitsOf(family))) - 1n;
  return fc.oneof(
    near.map(([seed, offset]) => (seed + offset > limit ? seed : seed + offset)),
    fc.bigInt({ min: 0n, max: limit }),
  );
}

function prefixLength(family: Family): fc.Arbitrary<number> {
  const bits = bitsOf(family);
  const common = family === 'IPv4' ? [8, 16, 24, 25, 31] : [32, 48, 64, 127];
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(bits, ...common) },
    { weight: 2, arbitrary: fc.integer({ min: 8, max: bits }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 7 }) },
  );
}

interface Hole {
  readonly at: bigint | 'first' | 'last';
  readonly deeper: number;
}

/** A block with the exceptions that it must have, and some more: often its first or its last part. */
export function cidr(family: Family): fc.Arbitrary<{ readonly block: string; readonly except?: readonly string[] }> {
  const at: fc.Arbitrary<Hole['at']> = fc.oneof(fc.constantFrom('first', 'last'), address(family));
  const hole = fc.record({ at, deeper: fc.integer({ min: 1, max: 40 }) });
  const holes = fc.oneof(
    { weight: 9, arbitrary: fc.array(hole, { maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(hole, { minLength: MAX_EXCEPTS, maxLength: MAX_EXCEPTS }) },
  );
  return fc
    .tuple(address(family), prefixLength(family), holes, fc.boolean())
    .map(([inside, prefix, wanted, listed]) => {
      const range = openable(rangeAround(family, inside, prefix));
      const needed = NEVER_OPEN_RANGES.filter((never) => covers(range, never));
      const except = [...needed, ...wanted.flatMap((each) => dig(range, each))].slice(0, MAX_EXCEPTS).map(blockText);
      // An empty list and an absent one mean the same.
      return { block: blockText(range), ...(except.length > 0 || listed ? { except } : {}) };
    });
}

/** IPv4 in the clothes of IPv6: refused, since no packet carries it. */
const IPV4_MAPPED = parseRange('::ffff:0:0/96');

function openable(range: Range): Range {
  if (![IPV4_MAPPED, ...NEVER_OPEN_RANGES].some((never) => covers(never, range))) return range;
  return parseRange(range.family === 'IPv4' ? '203.0.113.0/24' : '2001:db8::/32');
}

/** A block strictly inside of `range`; none when that is a single address. */
function dig(range: Range, { at, deeper }: Hole): Range[] {
  const { family, first, prefix } = range;
  if (prefix === bitsOf(family)) return [];
  const size = lastOf(range) - first + 1n;
  const inside = at === 'first' ? first : at === 'last' ? lastOf(range) : first + (at % size);
  const dug = rangeAround(family, inside, Math.min(bitsOf(family), prefix + deeper));
  return covers(IPV4_MAPPED, dug) ? [] : [dug];
}
