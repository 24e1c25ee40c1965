/**
 * Rules that stand in a ConfigMap, as JSON: `{"rules": [...]}`. The text belongs to somebody else, and whoever reads a refusal may not be
 * allowed to read it: a problem says where something is wrong and what is expected there, and repeats nothing of it.
 */
import { createHash } from 'node:crypto';
import { obj } from '../../api/dialect.ts';
import { MAX_TOOL_RULES, MAX_TOOLS, type ToolRule, toolRules } from '../../api/tool-rule.ts';

export type RulesRead =
  | { readonly ok: true; readonly rules: readonly ToolRule[] }
  /** `Digest`: it is not the text that was meant. `Content`: it is, and says what no bundle may say. */
  | { readonly ok: false; readonly reason: 'Digest' | 'Content'; readonly message: string };

export interface RulesText {
  readonly text: string;
  /** Names the text in messages. */
  readonly key: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

const bundleText = obj('The rules of a bundle.', { rules: toolRules });
type Result = ReturnType<typeof bundleText.safeParse>;
type BundleText = NonNullable<Result['data']>;
type Issue = NonNullable<Result['error']>['issues'][number];

/** Problems that a message names; the rest is counted. */
const NAMED_PROBLEMS = 5;

export function readRules({ text, key, sha256 }: RulesText): RulesRead {
  // First: nothing is looked into that is not what the author of the bundle has seen.
  if (createHash('sha256').update(text).digest('hex') !== sha256) {
    const message = `key ${key} has another SHA-256 than spec.source.configMapRef.sha256: restore its text, or put the SHA-256 of its present text there`;
    return { ok: false, reason: 'Digest', message };
  }
  const checked = check(text);
  if (!('problems' in checked)) return { ok: true, rules: checked.rules };
  return { ok: false, reason: 'Content', message: `key ${key}: ${listed(checked.problems)}` };
}

function check(text: string): BundleText | { readonly problems: readonly string[] } {
  const value = parsed(text);
  if (value === undefined) return { problems: ['it is not JSON'] };
  const long = tooLong(value.json);
  if (long.length > 0) return { problems: long };
  const result = bundleText.safeParse(value.json);
  if (!result.success) return { problems: result.error.issues.map(describe) };
  // Readers of JSON do not agree on which of two members counts, and a person may have read the other one.
  if (countMembers(result.data) === countColons(text)) return result.data;
  return { problems: ['a field is given twice: leave one of them out'] };
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    // What the parser says quotes the text.
    return undefined;
  }
}

/** Before the schema looks at each item of a list that may have hundreds of thousands. */
function tooLong(json: unknown): readonly string[] {
  const rules = memberOf(json, 'rules');
  if (!Array.isArray(rules)) return [];
  if (rules.length > MAX_TOOL_RULES) return [`rules: has more than ${MAX_TOOL_RULES} items`];
  return rules.flatMap((rule, i) => {
    const tools = memberOf(rule, 'tools');
    return Array.isArray(tools) && tools.length > MAX_TOOLS
      ? [`rules[${i}].tools: has more than ${MAX_TOOLS} items`]
      : [];
  });
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** The path of an issue holds names of the schema and indexes only: unknown fields are reported at the object that has them. */
function describe(issue: Issue): string {
  const path = issue.path.reduce<string>(
    (out, step) => (typeof step === 'number' ? `${out}[${step}]` : `${out}${out === '' ? '' : '.'}${String(step)}`),
    '',
  );
  const message = issue.code === 'unrecognized_keys' ? 'has a field that there is not' : issue.message;
  return path === '' ? message : `${path}: ${message}`;
}

function listed(problems: readonly string[]): string {
  const more = problems.length - NAMED_PROBLEMS;
  const named = problems.slice(0, NAMED_PROBLEMS).join('; ');
  return more > 0 ? `${named}; and ${more} more` : named;
}

/** Members of all objects. Only for what a schema has bounded. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const below = Object.values(value).reduce((sum: number, member) => sum + countMembers(member), 0);
  return below + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

/** A colon stands after the name of each member. Nothing that the schema accepts holds another one. */
function countColons(text: string): number {
  return text.split(':').length - 1;
}
