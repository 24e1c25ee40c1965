/** Conditions that are told by patterns: the names of an address, or what is looked at beyond the port. */
import { covers, textOf } from './names.ts';
import type { Layer7, NamePattern } from './types.ts';

/** `any` where nothing is asked. Of two kinds neither is a part of the other. */
export type Condition =
  | { readonly kind: 'any' }
  | { readonly kind: 'names' | Layer7['kind']; readonly patterns: readonly string[] };

export const ANY_CONDITION: Condition = { kind: 'any' };

export function namesCondition(names: readonly NamePattern[]): Condition {
  return { kind: 'names', patterns: names.map(textOf) };
}

export function layer7Condition(layer7: Layer7 | undefined): Condition {
  if (layer7 === undefined) return ANY_CONDITION;
  const patterns = layer7.kind === 'other' ? [layer7.rules] : layer7.names.map(textOf);
  return { kind: layer7.kind, patterns };
}

/** What is left of the first: never too little, since a pattern that is not covered as a whole stays as a whole. */
export function subtractCondition(a: Condition, b: Condition): Condition {
  if (a.kind === 'any') return b.kind === 'any' ? { kind: 'names', patterns: [] } : a;
  const isHeld = holder(b, a.kind);
  return { ...a, patterns: a.patterns.filter((pattern) => !isHeld(pattern)) };
}

/** What `subtractCondition` has taken away. */
export function intersectCondition(a: Condition, b: Condition): Condition {
  if (a.kind === 'any') return b;
  return { ...a, patterns: a.patterns.filter(holder(b, a.kind)) };
}

export function isImpossible(condition: Condition): boolean {
  return condition.kind !== 'any' && condition.patterns.length === 0;
}

/** Steps of comparing the patterns of the two one by one. */
export function conditionSteps(a: Condition, b: Condition): number {
  if (a.kind === 'any' || b.kind === 'any') return 0;
  return a.patterns.length + b.patterns.length + STEPS_PER_COVER * a.patterns.length * b.patterns.filter(isWide).length;
}

/** A name has up to 127 labels. */
const STEPS_PER_COVER = 16;

/** Only with a `*` can a pattern cover more than itself. */
function holder(condition: Condition, kind: Condition['kind']): (pattern: string) => boolean {
  if (condition.kind === 'any') return () => true;
  if (condition.kind !== kind) return () => false;
  const same = new Set(condition.patterns);
  const wide = kind === 'other' ? [] : condition.patterns.filter(isWide);
  return (pattern) => same.has(pattern) || wide.some((one) => covers(one, pattern));
}

function isWide(pattern: string): boolean {
  return pattern.includes('*');
}

export function patternOf(text: string): NamePattern {
  return text.includes('*') ? { pattern: text } : { name: text };
}
