/** Sets of what a label may be: absent, or one of all strings. */
import type { Requirement } from './types.ts';

export interface ValueSet {
  readonly absent: boolean;
  /** Whether `values` are the strings that are not in the set. */
  readonly negated: boolean;
  readonly values: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export const ANY_VALUE: ValueSet = { absent: true, negated: true, values: NONE };

export function oneOf(...values: readonly string[]): ValueSet {
  return { absent: false, negated: false, values: new Set(values) };
}

export function valuesOf({ operator, values }: Requirement): ValueSet {
  switch (operator) {
    case 'In':
      return oneOf(...values);
    case 'NotIn':
      return { absent: true, negated: true, values: new Set(values) };
    case 'Exists':
      return { absent: false, negated: true, values: NONE };
    case 'DoesNotExist':
      return { absent: true, negated: false, values: NONE };
  }
}

/** What all requirements on one label leave. Exclusions are gathered first: a set would be copied for each of them. */
export function valuesOfAll(requirements: readonly Requirement[]): ValueSet {
  const excluded = requirements.flatMap(({ operator, values }) => (operator === 'NotIn' ? values : []));
  const start: ValueSet = { ...ANY_VALUE, values: new Set(excluded) };
  return requirements
    .filter(({ operator }) => operator !== 'NotIn')
    .map(valuesOf)
    .reduce(intersectValues, start);
}

export function intersectValues(a: ValueSet, b: ValueSet): ValueSet {
  const absent = a.absent && b.absent;
  if (b.negated && b.values.size === 0) return { ...a, absent };
  if (a.negated && a.values.size === 0) return { ...b, absent };
  if (a.negated && b.negated) return { absent, negated: true, values: new Set([...a.values, ...b.values]) };
  const [listed, other] = a.negated ? [b, a] : [a, b];
  const values = [...listed.values].filter((value) => other.values.has(value) !== other.negated);
  return { absent, negated: false, values: new Set(values) };
}

export function subtractValues(a: ValueSet, b: ValueSet): ValueSet {
  return intersectValues(a, { absent: !b.absent, negated: !b.negated, values: b.values });
}

export function hasNoValue({ absent, negated, values }: ValueSet): boolean {
  return !absent && !negated && values.size === 0;
}

/** Requirements of which each is a part of the set, and all parts together are the set. */
export function requirementsOf(
  key: string,
  { absent, negated, values }: ValueSet,
): readonly (readonly Requirement[])[] {
  const listed = [...values];
  const none: Requirement = { key, operator: 'DoesNotExist', values: [] };
  const exists: Requirement = { key, operator: 'Exists', values: [] };
  const notIn: readonly Requirement[] = listed.length === 0 ? [] : [{ key, operator: 'NotIn', values: listed }];
  if (negated) return [absent ? notIn : [exists, ...notIn]];
  const isIn: readonly Requirement[][] = listed.length === 0 ? [] : [[{ key, operator: 'In', values: listed }]];
  return absent ? [[none], ...isIn] : isIn;
}
