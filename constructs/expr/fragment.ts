import type { Expr } from './expr.ts';
import type { Json } from './json.ts';
import { encodeToken, type Token } from './token.ts';

/** A part of a manifest that a back-end repeats or leaves out. */
export class Fragment<T> {
  declare protected readonly yields: T;
  readonly token: Token;

  constructor(token: Token) {
    this.token = token;
  }

  toJSON(): string {
    return encodeToken(this.token);
  }

  resolve(): string {
    return this.toJSON();
  }
}

/** `T`, where any part may be an expression, an element of a list may be repeated, and a key or an element may be absent. */
export type Templated<T> =
  | T
  | Expr<T>
  | (T extends readonly (infer U)[]
      ? Expr<readonly U[]> | readonly (Templated<U> | Fragment<U>)[]
      : T extends object
        ? { readonly [K in keyof T]: Templated<T[K]> | Absentable<T[K]> }
        : never);

/** Distributes over a union, so that the fragment of an optional key need not be optional itself. */
type Absentable<T> = T extends readonly (infer U)[] ? Fragment<readonly U[]> | Fragment<T> : Fragment<T>;

/** A key of a map, or an element of a list, that exists only where the condition holds. */
export function onlyIf<T>(condition: Expr<boolean>, body: Templated<T>): Fragment<T> {
  return new Fragment({ kind: 'onlyIf', condition: condition.node, body: toJson(body) });
}

/**
 * The entries of a map of values, merged into a map literal: `{...fixed, ...spread(v.podLabels)}`. The schema has to keep
 * the keys of both apart: YAML refuses a key that stands twice. Where it stands alone, `annotations: spread(v.podAnnotations)`, the key
 * of the literal exists only where the map of values has entries.
 */
export function spread(map: Expr<Readonly<Record<string, string>>>): Record<string, string> {
  return { [encodeToken({ kind: 'spread', map: map.node })]: '' };
}

/** Plain JSON with every expression and fragment in its encoded form. */
export function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
