/** A bundle as canonical JSON. It says of itself how it is to be read: docs/policy-bundle.md. */
import { canonicalJson } from '../canonical.ts';
import { type ToolPolicy, WILDCARD } from './rules.ts';

/** Another meaning of the same text is another format. */
export const TOOL_POLICY_FORMAT = 'agentplane.dev/tool-policy/v1';

export const TOOL_POLICY_KEY = 'tool-policy.json';

/** What no rule names is denied. Of the rules that match a call, the effect that stands first here counts. */
export const SEMANTICS = { default: 'Deny', precedence: ['Deny', 'Ask', 'Allow'], wildcard: WILDCARD } as const;

export function jsonFiles({ subject, rules }: ToolPolicy): Readonly<Record<string, string>> {
  return { [TOOL_POLICY_KEY]: canonicalJson({ format: TOOL_POLICY_FORMAT, semantics: SEMANTICS, subject, rules }) };
}
