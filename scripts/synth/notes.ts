import type { Node } from '../../constructs/expr/ast.ts';
import type { Expr } from '../../constructs/expr/expr.ts';
import { splitTokens } from '../../constructs/expr/token.ts';
import { unwrapped } from './go-template.ts';
import { block, escapeBraces } from './helm-yaml.ts';

/**
 * Lines that Helm prints after an install; some only under a condition. Lines may hold expressions. An action trims the empty
 * lines before it, so that an empty line before a block belongs into the block.
 */
export type Notes = readonly (string | { readonly when: Expr<boolean>; readonly lines: Notes })[];

export function notesTemplate(notes: Notes): string {
  return `${noteLines(notes).join('\n')}\n`;
}

function noteLines(notes: Notes): readonly string[] {
  return notes.flatMap((note) =>
    typeof note === 'string' ? [noteLine(note)] : block(`if ${unwrapped(note.when.node)}`, noteLines(note.lines), 0),
  );
}

function noteLine(line: string): string {
  return splitTokens(line)
    .map((part) => (typeof part === 'string' ? escapeBraces(part) : `{{ ${unwrapped(nodeOf(part))} }}`))
    .join('');
}

function nodeOf(token: Exclude<ReturnType<typeof splitTokens>[number], string>): Node {
  if (token.kind !== 'expr') throw new Error(`a ${token.kind} cannot stand in notes`);
  return token.node;
}
