/** IP blocks as ranges of integers, for generating and sampling: written apart from the compiler that they test. */
import ipaddr from 'ipaddr.js';

export type Family = 'IPv4' | 'IPv6';

export interface Range {
  readonly family: Family;
  readonly first: bigint;
  readonly prefix: number;
}

export function bitsOf(family: Family): number {
  return family === 'IPv4' ? 32 : 128;
}

/** The block of `prefix` bits around `address`. */
export function rangeAround(family: Family, address: bigint, prefix: number): Range {
  const host = BigInt(bitsOf(family) - prefix);
  return { family, first: (address >> host) << host, prefix };
}

export function lastOf({ family, first, prefix }: Range): bigint {
  return first + (1n << BigInt(bitsOf(family) - prefix)) - 1n;
}

export function covers(outer: Range, inner: Range): boolean {
  return outer.family === inner.family && outer.first <= inner.first && lastOf(inner) <= lastOf(outer);
}

export function parseRange(text: string): Range {
  const family = text.includes(':') ? 'IPv6' : 'IPv4';
  const [address, prefix] = ipaddr[family].parseCIDR(text);
  return rangeAround(family, integerOf(address.toByteArray()), prefix);
}

/** The spelling that the API server would write. */
export function blockText(range: Range): string {
  return `${addressText(range.family, range.first)}/${range.prefix}`;
}

export function addressText(family: Family, value: bigint): string {
  const count = bitsOf(family) / 8;
  const bytes = Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * (count - 1 - i))) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}

/** Undefined for a text that is no address. */
export function parseAddress(text: string): { readonly family: Family; readonly value: bigint } | undefined {
  const family = text.includes(':') ? 'IPv6' : 'IPv4';
  if (!ipaddr[family].isValid(text)) return undefined;
  return { family, value: integerOf(ipaddr[family].parse(text).toByteArray()) };
}

function integerOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
