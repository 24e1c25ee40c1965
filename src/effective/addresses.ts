/** IP addresses of both families as whole numbers on one axis: IPv6 first, then IPv4. */
import ipaddr from 'ipaddr.js';
import { type Range, type Ranges, rangesOf, subtractRanges } from './ranges.ts';
import { spend, type Work } from './work.ts';

const V4_START = 1n << 128n;
const V4_END = V4_START + (1n << 32n) - 1n;
const BITS = { ipv4: 32, ipv6: 128 } as const;

export const ALL_ADDRESSES: Ranges = [{ from: 0n, to: V4_END }];
export const ALL_BLOCKS = ['0.0.0.0/0', '::/0'] as const;

export function readAddress(text: string): bigint | undefined {
  // Told by its colon: asking the IPv4 parser about an IPv6 address costs an exception, many times what all else here costs.
  if (!text.includes(':')) {
    if (!ipaddr.IPv4.isValidFourPartDecimal(text)) return undefined;
    return V4_START + BigInt(text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0));
  }
  // Without a zone, which is a matter of the node and not of the address.
  return ipaddr.IPv6.isValid(text) && !text.includes('%') ? numberOf(ipaddr.IPv6.parse(text).toByteArray()) : undefined;
}

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
}

/** A CIDR, or one address. Host bits count for nothing. Undefined when it is neither. */
export function readBlock(text: string): Range | undefined {
  const [base = '', length, ...rest] = text.split('/');
  const address = readAddress(base);
  if (address === undefined || rest.length > 0) return undefined;
  const bits = address >= V4_START ? BITS.ipv4 : BITS.ipv6;
  if (length !== undefined && !/^(0|[1-9][0-9]{0,2})$/.test(length)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  const size = 1n << BigInt(bits - prefix);
  const from = address - (address % size);
  return { from, to: from + size - 1n };
}

/** The addresses of a block without those of the exceptions. Undefined when one of them cannot be read. */
export function readBlocks(cidr: string, except: readonly string[]): Ranges | undefined {
  const [block, ...holes] = [cidr, ...except].map(readBlock);
  if (block === undefined) return undefined;
  const read = holes.filter((hole) => hole !== undefined);
  return read.length === holes.length ? subtractRanges([block], rangesOf(read)) : undefined;
}

/** The fewest CIDRs that hold exactly these addresses. */
export function blocksOf(ranges: Ranges, work: Work): readonly string[] {
  return ranges.flatMap(({ from, to }) =>
    from < V4_START && to >= V4_START
      ? [...blocksOfRange(from, V4_START - 1n, work), ...blocksOfRange(V4_START, to, work)]
      : blocksOfRange(from, to, work),
  );
}

function blocksOfRange(from: bigint, to: bigint, work: Work): readonly string[] {
  const blocks: string[] = [];
  const bits = from >= V4_START ? BITS.ipv4 : BITS.ipv6;
  for (let next = from; next <= to; ) {
    // Up to 254 blocks for one range, each found bit by bit.
    spend(work, bits);
    let free = 0n;
    while (free < bits && next % (2n << free) === 0n && next + (2n << free) - 1n <= to) free += 1n;
    blocks.push(`${formatAddress(next)}/${BigInt(bits) - free}`);
    next += 1n << free;
  }
  return blocks;
}

function formatAddress(value: bigint): string {
  const [rest, length] = value >= V4_START ? [value - V4_START, 4] : [value, 16];
  const bytes = Array.from({ length }, (_, index) => Number((rest >> BigInt(8 * (length - 1 - index))) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}
