/** The rules of a bundle in the one order that every target writes them in: the order of a list of rules means nothing. */
import type { ToolRule } from '../../api/tool-rule.ts';
import { canonicalSet, compareText } from '../canonical.ts';

/** Whose agents may call which tools. */
export interface ToolPolicy {
  readonly subject: { readonly namespace: string; readonly profile: string };
  /** In canonical order. */
  readonly rules: readonly ToolRule[];
}

export function canonicalRules(rules: readonly ToolRule[]): readonly ToolRule[] {
  return rules.map((rule) => ({ ...rule, tools: canonicalSet(rule.tools) })).sort((a, b) => compareText(a.id, b.id));
}

/** Stands for any characters, also none. No name of a tool holds it. */
export const WILDCARD = '*';

export function isPattern(tool: string): boolean {
  return tool.includes(WILDCARD);
}
