import { Construct } from 'constructs';
import type { Field } from '../values/model.ts';
import { itemRefs, type ListExpr, type RefsOf } from '../values/refs.ts';

export interface ForEachProps<F extends Field> {
  readonly list: ListExpr<F>;
  /** Name of the loop variable in the rendered template, e.g. `$ns`. */
  readonly variable: `$${string}`;
}

/** Everything inside is rendered once per item of a list of values; `item` refers to the item of the round. */
export class ForEach<F extends Field> extends Construct {
  readonly list: ListExpr<F>;
  readonly variable: `$${string}`;
  readonly item: RefsOf<F>;

  constructor(scope: Construct, id: string, props: ForEachProps<F>) {
    super(scope, id);
    this.list = props.list;
    this.variable = props.variable;
    this.item = itemRefs(props.list, props.variable);
  }
}
