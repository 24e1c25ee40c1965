/**
 * Three readings of a tool policy that share nothing with its compilation: the rules themselves, read naively; the canonical JSON, read as a
 * consumer would by what it says of itself; the Cedar policies, answered by Cedar.
 */
import {
  type CheckParseAnswer,
  type PolicySet,
  preparsePolicySet,
  preparseSchema,
  type SchemaJson,
  statefulIsAuthorized,
  validate,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { ToolRule } from '../../src/api/tool-rule.ts';

export interface ToolCall {
  readonly server: string;
  readonly tool: string;
}

export type Answer = ToolRule['effect'];
export type BundleData = Readonly<Record<string, string>>;

/** The rules as docs/policy-bundle.md explains them. */
export function answerOfRules(rules: readonly ToolRule[], { server, tool }: ToolCall): Answer {
  const effects = rules
    .filter((rule) => rule.server === server && rule.tools.some((pattern) => fits(pattern, tool)))
    .map(({ effect }) => effect);
  if (effects.includes('Deny')) return 'Deny';
  if (effects.includes('Ask')) return 'Ask';
  return effects.includes('Allow') ? 'Allow' : 'Deny';
}

/** Character by character, by trying every length that a star may have. */
function fits(pattern: string, tool: string): boolean {
  if (pattern === '') return tool === '';
  if (pattern.startsWith('*')) {
    return Array.from({ length: tool.length + 1 }, (_, i) => tool.slice(i)).some((rest) =>
      fits(pattern.slice(1), rest),
    );
  }
  return tool.startsWith(pattern.charAt(0)) && fits(pattern.slice(1), tool.slice(1));
}

interface Document {
  readonly format: string;
  readonly semantics: { readonly default: Answer; readonly precedence: readonly Answer[]; readonly wildcard: string };
  readonly rules: readonly ToolRule[];
}

/** A consumer of the JSON: a regular expression for each pattern, and the order of effects that the document names. */
export function answerOfJson(data: BundleData, { server, tool }: ToolCall): Answer {
  const { format, semantics, rules } = JSON.parse(data['tool-policy.json'] ?? '{}') as Document;
  if (format !== 'agentplane.dev/tool-policy/v1') throw new Error(`the format is not known: ${format}`);
  const escaped = (text: string) => text.replace(/[^A-Za-z0-9]/g, '\\$&');
  const toRegExp = (pattern: string) =>
    new RegExp(`^${pattern.split(semantics.wildcard).map(escaped).join('.*')}$`, 's');
  const found = new Set(
    rules
      .filter((rule) => rule.server === server && rule.tools.some((pattern) => toRegExp(pattern).test(tool)))
      .map(({ effect }) => effect),
  );
  return semantics.precedence.find((effect) => found.has(effect)) ?? semantics.default;
}

/** Of the only tool that Cedar is asked about, and of what it has read. */
const ID = 'any';

interface CedarRequest {
  /** `<namespace>/<profile>` */
  readonly agent: string;
  readonly action: 'call' | 'callUnattended';
  readonly attrs: Readonly<Record<string, string>>;
}

/** Read once: a question costs a tenth of what reading does. */
let prepared: BundleData | undefined;

/** What Cedar says, with the ids of the policies that decided. Without the schema, as a careless consumer would ask. */
export function askCedar(data: BundleData, { agent, action, attrs }: CedarRequest, validateRequest = true) {
  if (prepared !== data) {
    demandRead(preparseSchema(ID, schemaOf(data)));
    demandRead(preparsePolicySet(ID, policiesOf(data)));
    prepared = data;
  }
  const tool = { type: 'AgentPlane::Tool', id: ID };
  const answer = statefulIsAuthorized({
    principal: { type: 'AgentPlane::Agent', id: agent },
    action: { type: 'AgentPlane::Action', id: action },
    resource: tool,
    context: {},
    ...(validateRequest ? { preparsedSchemaName: ID, validateRequest } : {}),
    preparsedPolicySetId: ID,
    entities: [{ uid: tool, attrs: { ...attrs }, parents: [] }],
  });
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
  return { allowed: answer.response.decision === 'allow', policies: answer.response.diagnostics.reason };
}

function demandRead(answer: CheckParseAnswer): void {
  if (answer.type === 'failure') throw new Error(answer.errors.map(({ message }) => message).join('; '));
}

/** As docs/policy-bundle.md tells a consumer to ask. */
export function answerOfCedar(data: BundleData, agent: string, { server, tool }: ToolCall): Answer {
  const attrs = { server, name: tool };
  if (askCedar(data, { agent, action: 'callUnattended', attrs }).allowed) return 'Allow';
  return askCedar(data, { agent, action: 'call', attrs }).allowed ? 'Ask' : 'Deny';
}

/** What Cedar's validator has against the policies. */
export function cedarProblems(data: BundleData): readonly string[] {
  const answer = validate({
    schema: schemaOf(data),
    policies: policiesOf(data),
    validationSettings: { mode: 'strict' },
  });
  if (answer.type === 'failure') return answer.errors.map(({ message }) => message);
  const { validationErrors, validationWarnings, otherWarnings } = answer;
  return [
    ...[...validationErrors, ...validationWarnings].map(({ policyId, error }) => `${policyId}: ${error.message}`),
    ...otherWarnings.map(({ message }) => message),
  ];
}

function policiesOf(data: BundleData): PolicySet {
  return JSON.parse(data['policies.cedar.json'] ?? '') as PolicySet;
}

function schemaOf(data: BundleData): SchemaJson<string> {
  return JSON.parse(data['schema.cedar.json'] ?? '') as SchemaJson<string>;
}
