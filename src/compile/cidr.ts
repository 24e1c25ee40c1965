/** IP blocks as integer intervals: parsing with reasons, containment, and what a block may never include. */
import ipaddr from 'ipaddr.js';

export type IpFamily = 'IPv4' | 'IPv6';

export interface Block {
  readonly family: IpFamily;
  /** First and last address, as integers. */
  readonly first: bigint;
  readonly last: bigint;
  readonly prefix: number;
  readonly text: string;
}

export type ParsedBlock =
  | { readonly ok: true; readonly block: Block }
  | { readonly ok: false; readonly reason: string };

/**
 * Addresses that no policy may open: they are how a workload reaches the node, its cloud identity or itself. Of one family no more than
 * `except` may list, so that a block may be everything but these.
 */
const FORBIDDEN: readonly { readonly block: string; readonly what: string }[] = [
  { block: '169.254.0.0/16', what: 'link-local addresses, among them the cloud metadata service' },
  { block: '127.0.0.0/8', what: 'loopback addresses' },
  // Alibaba Cloud, Azure.
  { block: '100.100.100.200/32', what: 'the cloud metadata service' },
  { block: '168.63.129.16/32', what: 'a service of the cloud host' },
  { block: 'fe80::/10', what: 'link-local addresses' },
  { block: '::1/128', what: 'the loopback address' },
  // AWS: instance metadata at ::254, and at ::23 the agent of EKS that hands out the identities of pods.
  { block: 'fd00:ec2::/32', what: 'services of the cloud host, among them the metadata service' },
  // Google Cloud, Oracle, Scaleway.
  { block: 'fd20:ce::254/128', what: 'the cloud metadata service' },
  { block: 'fd00:c1::a9fe:a9fe/128', what: 'the cloud metadata service' },
  { block: 'fd00:42::42/128', what: 'the cloud metadata service' },
  // 169.254.0.0/16 as NAT64 writes it (RFC 6052). A network may need the rest of that prefix, and there is no room for the others of this
  // list; what prefix a network has given to a translator of its own, nobody can know.
  { block: '64:ff9b::a9fe:0/112', what: 'link-local addresses behind NAT64' },
  // RFC 3056, out of use since RFC 7526.
  { block: '2002::/16', what: 'any address of IPv4, behind 6to4' },
];

/** The same as text, for whom a name could lead there. */
export const NEVER_OPENED: readonly string[] = FORBIDDEN.map(({ block }) => block);

/** Addresses of nobody in particular: of the host, of groups, of no one yet. As a block they are harmless, as a server they are a mistake. */
const NO_SERVER: readonly string[] = ['0.0.0.0/8', '224.0.0.0/3', '::/3', 'ff00::/8'];

/** Blocks that are not the public internet: covering everything else counts as opening it. RFC 6890, RFC 1918. */
const NOT_PUBLIC: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '224.0.0.0/3',
];
/** 2000::/3 is all of IPv6 that is routed publicly today (RFC 4291, IANA). */
const PUBLIC_IPV6 = '2000::/3';

/** Parses a block that must be canonical: no host bits, no IPv4-mapped IPv6, the spelling the API server would write. */
export function parseBlock(text: string): ParsedBlock {
  const parser = parserOf(text);
  if (!parser.isValidCIDR(text)) return refuse(`${text} is not an IP block`);
  const [address, prefix] = parser.parseCIDR(text);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    return refuse(`${text} is an IPv4-mapped IPv6 block: write the IPv4 block`);
  }
  const block = toBlock(address, prefix);
  const canonical = `${format(block.first, block.family)}/${prefix}`;
  if (toInteger(address) !== block.first) return refuse(`${text} has host bits set: write ${canonical}`);
  if (canonical !== text) return refuse(`${text} is not in canonical form: write ${canonical}`);
  return { ok: true, block: { ...block, text } };
}

export function contains(outer: Block, inner: Block): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

/** Parsed once: a policy may have hundreds of blocks. */
const FORBIDDEN_BLOCKS = FORBIDDEN.map((entry) => ({ ...entry, parsed: trusted(entry.block) }));
const NO_SERVER_BLOCKS = NO_SERVER.map(trusted);
const NOT_PUBLIC_BLOCKS = NOT_PUBLIC.map(trusted);

export type ForbiddenPart = (typeof FORBIDDEN_BLOCKS)[number];

/** What `block` without `except` would open that may never be opened; undefined when it is clean. */
export function forbiddenPart(block: Block, except: readonly Block[]): ForbiddenPart | undefined {
  return FORBIDDEN_BLOCKS.find(({ parsed: forbidden }) => {
    if (!overlaps(block, forbidden)) return false;
    const overlap = { ...forbidden, first: max(block.first, forbidden.first), last: min(block.last, forbidden.last) };
    return !isCovered(overlap, except);
  });
}

/** True when the blocks together cover every public address of a family: 0.0.0.0/0, or pieces that add up to it. */
export function coversInternet(blocks: readonly Block[]): IpFamily | undefined {
  const all4 = trusted('0.0.0.0/0');
  const v4 = blocks.filter((block) => block.family === 'IPv4');
  if (v4.length > 0 && isCovered(all4, [...v4, ...NOT_PUBLIC_BLOCKS])) return 'IPv4';
  const v6 = blocks.filter((block) => block.family === 'IPv6');
  return v6.length > 0 && isCovered(trusted(PUBLIC_IPV6), v6) ? 'IPv6' : undefined;
}

/** Why no rule may lead to this one address, beginning with the address; undefined when one may. */
export function addressProblem(text: string): string | undefined {
  if (!isPlain(text)) return `"${text}" is not an IP address in plain notation`;
  const address = parserOf(text).parse(text);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    return `${text} is an IPv4-mapped IPv6 address: write the IPv4 address`;
  }
  const block = { ...toBlock(address, address.kind() === 'ipv4' ? 32 : 128), text };
  const forbidden = forbiddenPart(block, []);
  if (forbidden !== undefined) {
    return `${text} is part of ${forbidden.block} (${forbidden.what}), which no policy may open`;
  }
  const nobody = NO_SERVER_BLOCKS.find((range) => contains(range, block));
  return nobody && `${text} is part of ${nobody.text}, which is no address of a server`;
}

/** Parsers differ over all else: what one reads as octal is decimal to the next, and a zone is a part of the address to some. */
function isPlain(text: string): boolean {
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text);
  return /^[0-9a-f:]+$/i.test(text) && ipaddr.IPv6.isValid(text);
}

/** The family of an IP address in any notation; undefined when it is none. */
export function familyOfAddress(address: string): IpFamily | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  return ipaddr.parse(address).kind() === 'ipv4' ? 'IPv4' : 'IPv6';
}

function refuse(reason: string): ParsedBlock {
  return { ok: false, reason };
}

/** The library's own choice of the family tries one and catches the error, which costs more than all else here. */
function parserOf(text: string): typeof ipaddr.IPv4 | typeof ipaddr.IPv6 {
  return text.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
}

function trusted(text: string): Block {
  const [address, prefix] = parserOf(text).parseCIDR(text);
  return { ...toBlock(address, prefix), text };
}

function toBlock(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): Omit<Block, 'text'> {
  const family: IpFamily = address.kind() === 'ipv4' ? 'IPv4' : 'IPv6';
  const hostBits = BigInt((family === 'IPv4' ? 32 : 128) - prefix);
  const first = (toInteger(address) >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n, prefix };
}

function toInteger(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function format(value: bigint, family: IpFamily): string {
  const length = family === 'IPv4' ? 4 : 16;
  const bytes = Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}

function overlaps(a: Block, b: Block): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

function isCovered(target: Block, blocks: readonly Block[]): boolean {
  const sorted = blocks
    .filter((block) => overlaps(block, target))
    .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  let next = target.first;
  for (const block of sorted) {
    if (block.first > next) return false;
    if (block.last >= next) next = block.last + 1n;
    if (next > target.last) return true;
  }
  return false;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
