/** What an expression yields. Decides how a back-end writes it: quoted, as an integer, as YAML. */
export type ValueType = 'string' | 'int' | 'bool' | 'list' | 'map';

/** Where a reference starts: the chart's values, the release, or the variable of an enclosing loop (`$ns`). */
export type Root = 'Values' | 'Release' | `$${string}`;

/**
 * The expression language of the charts: small, total and closed, so that both back-ends (Go templates and evaluation in
 * TypeScript) cover it exhaustively and can be proven to agree.
 */
export type Node =
  | { readonly op: 'literal'; readonly value: string | number | boolean }
  | { readonly op: 'ref'; readonly root: Root; readonly path: readonly string[]; readonly type: ValueType }
  /** `fallback` where the string is empty or its key is absent. */
  | { readonly op: 'orElse'; readonly of: Node; readonly fallback: string }
  | { readonly op: 'concat'; readonly parts: readonly Node[] }
  | { readonly op: 'choose'; readonly when: Node; readonly yes: Node; readonly no: Node }
  | { readonly op: 'equals'; readonly left: Node; readonly right: Node }
  | { readonly op: 'greater'; readonly left: Node; readonly right: Node }
  | { readonly op: 'sum'; readonly of: readonly Node[] }
  | { readonly op: 'contains'; readonly text: Node; readonly part: Node }
  | { readonly op: 'not'; readonly of: Node }
  | { readonly op: 'all'; readonly of: readonly Node[] }
  | { readonly op: 'any'; readonly of: readonly Node[] }
  | { readonly op: 'empty'; readonly of: Node }
  | { readonly op: 'size'; readonly list: Node }
  /** One string field of every map in a list. */
  | { readonly op: 'pluck'; readonly list: Node; readonly field: string }
  | { readonly op: 'sortedUnique'; readonly list: Node }
  | { readonly op: 'join'; readonly list: Node; readonly separator: string }
  /** `key=value` for every entry of a map of strings, ordered by key. */
  | { readonly op: 'pairs'; readonly map: Node }
  /** The entries of several maps of strings. Of a key that stands in two, the first. */
  | { readonly op: 'merged'; readonly maps: readonly Node[] };

/** What every operator yields, but for those whose type is that of their operands. */
const yields: Readonly<Record<Exclude<Node['op'], 'literal' | 'ref' | 'choose'>, ValueType>> = {
  orElse: 'string',
  concat: 'string',
  join: 'string',
  equals: 'bool',
  greater: 'bool',
  contains: 'bool',
  not: 'bool',
  all: 'bool',
  any: 'bool',
  empty: 'bool',
  size: 'int',
  sum: 'int',
  pluck: 'list',
  sortedUnique: 'list',
  pairs: 'list',
  merged: 'map',
};

/** The type that a node yields. */
export function typeOf(node: Node): ValueType {
  switch (node.op) {
    case 'literal':
      return literalType(node.value);
    case 'ref':
      return node.type;
    case 'choose':
      return typeOf(node.yes);
    default:
      return yields[node.op];
  }
}

function literalType(value: string | number | boolean): ValueType {
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'int' : 'string';
}
