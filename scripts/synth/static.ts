import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { evaluate, type Scope, truth } from '../../constructs/expr/evaluate.ts';
import type { Json, JsonMap } from '../../constructs/expr/json.ts';
import { ForEach } from '../../constructs/structure/for-each.ts';
import { Refusal } from '../../constructs/structure/refusal.ts';
import { When } from '../../constructs/structure/when.ts';
import { resolveTokens } from './static-tokens.ts';

/** The chart refuses these values, with the message that Helm would give. */
export class RefusedValues extends Error {
  override readonly name = 'RefusedValues';
}

/**
 * The static back-end: the manifests that a construct and everything inside it render to.
 *
 * @throws RefusedValues if a rule of the chart refuses the values.
 */
export function staticManifests(construct: IConstruct, scope: Scope): readonly JsonMap[] {
  if (construct instanceof ApiObject) return [resolveTokens(construct.toJson() as Json, scope) as JsonMap];
  if (construct instanceof Refusal) {
    if (truth(construct.condition.node, scope))
      throw new RefusedValues(String(evaluate(construct.message.node, scope)));
    return [];
  }
  if (construct instanceof When && !truth(construct.condition.node, scope)) return [];
  if (construct instanceof ForEach) {
    // Helm's `range` finds nothing in a list that an item of another list leaves out.
    const items = (evaluate(construct.list.node, scope) as readonly Json[] | null) ?? [];
    return items.flatMap((item) => children(construct, withVariable(scope, construct.variable, item)));
  }
  return children(construct, scope);
}

function children(construct: IConstruct, scope: Scope): readonly JsonMap[] {
  return construct.node.children.flatMap((child) => staticManifests(child, scope));
}

function withVariable(scope: Scope, variable: `$${string}`, item: Json): Scope {
  return { ...scope, variables: { ...scope.variables, [variable]: item } };
}
