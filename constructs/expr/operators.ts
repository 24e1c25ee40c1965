import type { Node } from './ast.ts';
import { Expr, text } from './expr.ts';

type Scalar = string | number | boolean;

/** The node of an expression, or of a literal; a string literal may hold tokens. */
function nodeOf(value: Expr<unknown> | Scalar): Node {
  if (value instanceof Expr) return value.node;
  return typeof value === 'string' ? text(value).node : { op: 'literal', value };
}

export function equals<T extends Scalar>(left: Expr<T>, right: Expr<T> | T): Expr<boolean> {
  return new Expr({ op: 'equals', left: left.node, right: nodeOf(right) });
}

export function greaterThan(left: Expr<number>, right: Expr<number> | number): Expr<boolean> {
  return new Expr({ op: 'greater', left: left.node, right: nodeOf(right) });
}

export function sum(...of: readonly (Expr<number> | number)[]): Expr<number> {
  return new Expr({ op: 'sum', of: of.map(nodeOf) });
}

export function not(of: Expr<boolean>): Expr<boolean> {
  return new Expr({ op: 'not', of: of.node });
}

export function all(...of: readonly Expr<boolean>[]): Expr<boolean> {
  return new Expr({ op: 'all', of: of.map((each) => each.node) });
}

export function any(...of: readonly Expr<boolean>[]): Expr<boolean> {
  return new Expr({ op: 'any', of: of.map((each) => each.node) });
}

/** True for an empty string, list or map. */
export function isEmpty(of: Expr<unknown>): Expr<boolean> {
  return new Expr({ op: 'empty', of: of.node });
}

export function isSet(of: Expr<unknown>): Expr<boolean> {
  return not(isEmpty(of));
}

export function choose<T extends Scalar>(when: Expr<boolean>, yes: Expr<T> | T, no: Expr<T> | T): Expr<T> {
  return new Expr({ op: 'choose', when: when.node, yes: nodeOf(yes), no: nodeOf(no) });
}

export function orElse(of: Expr<string>, fallback: string): Expr<string> {
  return new Expr({ op: 'orElse', of: of.node, fallback });
}

/** `part` may hold tokens. */
export function contains(within: Expr<string>, part: string): Expr<boolean> {
  return new Expr({ op: 'contains', text: within.node, part: nodeOf(part) });
}

export function size(list: Expr<readonly unknown[]>): Expr<number> {
  return new Expr({ op: 'size', list: list.node });
}

export function pluck<T>(list: Expr<readonly T[]>, field: keyof T & string): Expr<readonly string[]> {
  return new Expr({ op: 'pluck', list: list.node, field });
}

export function sortedUnique(list: Expr<readonly string[]>): Expr<readonly string[]> {
  return new Expr({ op: 'sortedUnique', list: list.node });
}

export function join(list: Expr<readonly string[]>, separator: string): Expr<string> {
  return new Expr({ op: 'join', list: list.node, separator });
}

/** The entries of all of the maps. Of a key that stands in two, the first. */
export function merged(
  ...maps: readonly Expr<Readonly<Record<string, string>>>[]
): Expr<Readonly<Record<string, string>>> {
  const [only] = maps;
  if (only !== undefined && maps.length === 1) return only;
  return new Expr({ op: 'merged', maps: maps.map((each) => each.node) });
}

/** `key=value` for every entry, ordered by key. */
export function pairs(map: Expr<Readonly<Record<string, string>>>): Expr<readonly string[]> {
  return new Expr({ op: 'pairs', map: map.node });
}

/** A number as a string of its digits. Alone in a template literal it would stay a number. */
export function digits(of: Expr<number>): Expr<string> {
  return new Expr({ op: 'concat', parts: [of.node] });
}
