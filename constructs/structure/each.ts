import { Fragment, type Templated, toJson } from '../expr/fragment.ts';
import type { Field } from '../values/model.ts';
import { itemRefs, type ListExpr, type RefsOf } from '../values/refs.ts';

/**
 * One element of a manifest's list per item of a list of values. A list that consists of this alone has to stand under
 * `onlyIf(isSet(list), ...)`: rendered from an empty list it would be null.
 */
export function each<F extends Field, T>(
  list: ListExpr<F>,
  variable: `$${string}`,
  body: (item: RefsOf<F>) => Templated<NoInfer<T>>,
): Fragment<T> {
  return new Fragment({ kind: 'each', variable, list: list.node, body: toJson(body(itemRefs(list, variable))) });
}
