import type { Node, Root, ValueType } from '../expr/ast.ts';
import { Expr } from '../expr/expr.ts';
import type { AnyObjectField, Field, ListField, ObjectField, ValueOf } from './model.ts';

/** A list of values that knows what its items are, so that loops over it are typed. */
export class ListExpr<F extends Field> extends Expr<readonly ValueOf<F>[]> {
  readonly items: F;

  constructor(node: Node, items: F) {
    super(node);
    this.items = items;
  }
}

/** The references to a field's value: an object of references for an object, an expression for everything else. */
export type RefsOf<F> =
  F extends ObjectField<infer P>
    ? { readonly [K in keyof P]: RefsOf<P[K]> }
    : F extends ListField<infer I>
      ? ListExpr<I>
      : Expr<ValueOf<F>>;

/** Typed references to everything that a chart's values hold: `valueRefs(model).operator.replicas`. */
export function valueRefs<F extends AnyObjectField>(model: F): RefsOf<F> {
  return refsOf(model, 'Values', []) as RefsOf<F>;
}

/** References to the item of one round of a loop. */
export function itemRefs<F extends Field>(list: ListExpr<F>, variable: `$${string}`): RefsOf<F> {
  return refsOf(list.items, variable, []) as RefsOf<F>;
}

function refsOf(field: Field, root: Root, path: readonly string[]): unknown {
  if (field.kind === 'object') {
    const entries = Object.entries(field.properties);
    return Object.fromEntries(entries.map(([name, child]) => [name, refsOf(child, root, [...path, name])]));
  }
  const node: Node = { op: 'ref', root, path, type: valueType(field) };
  if (field.kind === 'list') return new ListExpr(node, field.items);
  // Helm merges defaults into maps but never into the items of a list, so a reference to an item brings its default along.
  const fallback =
    root !== 'Values' && (field.kind === 'choice' || field.kind === 'string') ? field.default : undefined;
  return new Expr(fallback === undefined ? node : { op: 'orElse', of: node, fallback });
}

function valueType(field: Exclude<Field, AnyObjectField>): ValueType {
  switch (field.kind) {
    case 'string':
    case 'choice':
      return 'string';
    case 'int':
      return 'int';
    case 'bool':
      return 'bool';
    case 'list':
      return 'list';
    case 'stringMap':
      return 'map';
    case 'raw':
      return field.type;
  }
}
