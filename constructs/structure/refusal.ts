import { Construct } from 'constructs';
import { type Expr, text } from '../expr/expr.ts';

export interface RefusalProps {
  readonly condition: Expr<boolean>;
  /** Names the value, the reason and the way out. May hold expressions. */
  readonly message: string;
}

/**
 * Refuses values that a JSON schema cannot judge, because the rule spans several fields. Rendering stops with the message.
 */
export class Refusal extends Construct {
  readonly condition: Expr<boolean>;
  readonly message: Expr<string>;

  constructor(scope: Construct, id: string, props: RefusalProps) {
    super(scope, id);
    this.condition = props.condition;
    this.message = text(props.message);
  }
}
