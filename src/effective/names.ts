/** DNS names and patterns, as in cilium/cilium:pkg/fqdn/matchpattern. */
import type { NamePattern } from './types.ts';

const ANY_NAME = '*';

/** Lower case, without the trailing dot; `*` several times in a row is one, but for the leading `**.` where the version knows it. */
export function normalizePattern(pattern: string, knowsAnyDepth: boolean): string {
  const name = normalizeName(pattern);
  const anyDepth = knowsAnyDepth && /^\*{2,}\./.test(name);
  const single = name.replace(/\*+/g, '*');
  return anyDepth ? `*${single}` : single;
}

export function normalizeName(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}

export function textOf(pattern: NamePattern): string {
  return 'name' in pattern ? pattern.name : pattern.pattern;
}

/**
 * Whether every name that `narrow` matches is matched by `wide`. A name is a pattern without `*`, so this also tells whether a name
 * matches. Never true in error; patterns that cover each other only by the limits of the alphabet or of lengths are not recognised.
 */
export function covers(wide: string, narrow: string): boolean {
  if (wide === ANY_NAME || narrow === ANY_NAME) return wide === ANY_NAME;
  const outer = labelsOf(wide);
  const inner = labelsOf(narrow);
  if (inner.anyDepth && !outer.anyDepth) return false;
  const spare = inner.labels.length - outer.labels.length;
  // A leading `**` stands for one label at least: one of its own, or the `**` of the other.
  if (outer.anyDepth ? spare < (inner.anyDepth ? 0 : 1) : spare !== 0) return false;
  return outer.labels.every((label, index) => labelCovers(label, inner.labels[index + spare] ?? ''));
}

function labelsOf(pattern: string): { readonly anyDepth: boolean; readonly labels: readonly string[] } {
  const labels = pattern.split('.');
  const anyDepth = labels[0] === '**';
  return { anyDepth, labels: anyDepth ? labels.slice(1) : labels };
}

/** A `*` of the narrower one is covered by a `*` only, as if it were a letter of its own. */
function labelCovers(wide: string, narrow: string): boolean {
  if (!wide.includes('*')) return wide === narrow;
  const parts = wide.split('*');
  const first = parts.at(0) ?? '';
  const last = parts.at(-1) ?? '';
  if (narrow.length < first.length + last.length || !narrow.startsWith(first) || !narrow.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = narrow.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= narrow.length - last.length;
}
