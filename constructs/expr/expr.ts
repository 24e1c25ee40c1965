import type { Node } from './ast.ts';
import { encodeToken, splitTokens, type Token } from './token.ts';

/**
 * A value that is known only when the chart is rendered. `T` is what it will be then.
 *
 * It can stand alone for a field, or inside a template literal: `--replicas=${v.operator.replicas}`.
 */
export class Expr<T> {
  /** Exists for the type checker only: without it every `Expr<T>` would be assignable to every other. */
  declare protected readonly yields: T;
  readonly node: Node;

  constructor(node: Node) {
    this.node = node;
  }

  toString(): string {
    return encodeToken({ kind: 'expr', node: this.node });
  }

  toJSON(): string {
    return this.toString();
  }

  /** cdk8s calls this on any object that has it while it resolves a manifest. */
  resolve(): string {
    return this.toString();
  }
}

/** The expression for a string that may hold tokens. */
export function text(template: string): Expr<string> {
  const parts = splitTokens(template).map((part) =>
    typeof part === 'string' ? ({ op: 'literal', value: part } as const) : exprNode(part),
  );
  const [only] = parts;
  return new Expr(parts.length === 1 && only !== undefined ? only : { op: 'concat', parts });
}

function exprNode(token: Token): Node {
  if (token.kind !== 'expr') throw new Error(`a ${token.kind} cannot stand inside a string: give it its own field`);
  return token.node;
}

export const release = {
  name: new Expr<string>({ op: 'ref', root: 'Release', path: ['Name'], type: 'string' }),
  namespace: new Expr<string>({ op: 'ref', root: 'Release', path: ['Namespace'], type: 'string' }),
  service: new Expr<string>({ op: 'ref', root: 'Release', path: ['Service'], type: 'string' }),
} as const;
