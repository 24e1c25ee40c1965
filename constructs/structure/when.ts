import { Construct } from 'constructs';
import type { Expr } from '../expr/expr.ts';

/** Everything inside is rendered only where the condition holds. */
export class When extends Construct {
  readonly condition: Expr<boolean>;

  constructor(scope: Construct, id: string, props: { readonly condition: Expr<boolean> }) {
    super(scope, id);
    this.condition = props.condition;
  }
}
