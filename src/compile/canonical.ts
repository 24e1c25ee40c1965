/** Canonical JSON: the same value gives the same bytes, whatever the order in which its keys were written. */
import { createHash } from 'node:crypto';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${entries.join(',')}}`;
}

/** By UTF-16 code unit: independent of the locale, unlike `localeCompare`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sorted by canonical form, without duplicates: makes a list's bytes independent of the order it was written in. */
export function canonicalSet<T>(items: readonly T[]): T[] {
  const byText = new Map(items.map((item) => [canonicalJson(item), item]));
  return [...byText.entries()].sort(([a], [b]) => compareText(a, b)).map(([, item]) => item);
}

/** A map in the order of its keys: its bytes do not depend on the order it was written in. */
export function canonicalMap(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => compareText(a, b)));
}

/** `sha256:` and the digest of the canonical form, in hexadecimal. */
export function digest(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
