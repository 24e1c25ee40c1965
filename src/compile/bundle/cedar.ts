/**
 * A bundle as Cedar policies, in Cedar's own JSON format: names are put into fields, never into a text that is parsed afterwards.
 * https://docs.cedarpolicy.com/policies/json-format.html
 *
 * Cedar answers allow or deny, a bundle Allow, Ask or Deny, so a call is asked about as one of two actions: `call` is permitted where it may
 * be made at all, `callUnattended` where it may be made without a person. ADR 0013.
 */
import type { ToolRule } from '../../api/tool-rule.ts';
import { canonicalJson } from '../canonical.ts';
import { ACTIONS, AGENT, CALL, CALL_UNATTENDED, CEDAR_SCHEMA, ENTITY_NAMESPACE, TOOL } from './cedar-schema.ts';
import { isPattern, type ToolPolicy, WILDCARD } from './rules.ts';

export const CEDAR_POLICIES_KEY = 'policies.cedar.json';
export const CEDAR_SCHEMA_KEY = 'schema.cedar.json';

type Expr = Readonly<Record<string, unknown>>;

export function cedarFiles(policy: ToolPolicy): Readonly<Record<string, string>> {
  const staticPolicies = Object.fromEntries(policy.rules.flatMap((rule) => policiesOf(rule, policy.subject)));
  return {
    [CEDAR_POLICIES_KEY]: canonicalJson({ staticPolicies, templates: {}, templateLinks: [] }),
    [CEDAR_SCHEMA_KEY]: canonicalJson(CEDAR_SCHEMA),
  };
}

/** The entity that stands for the agents of a profile. Profiles of two namespaces may have one name. */
export function agentId({ namespace, profile }: ToolPolicy['subject']): string {
  return `${namespace}/${profile}`;
}

/** By their ids, which tell a consumer the rule that decided. In Cedar a `forbid` beats every `permit`. */
function policiesOf(rule: ToolRule, subject: ToolPolicy['subject']): [string, Expr][] {
  const policy = (effect: 'permit' | 'forbid', actions: readonly string[]): [string, Expr] => [
    `${rule.id}/${effect}`,
    {
      annotations: { effect: rule.effect, rule: rule.id },
      effect,
      principal: { op: '==', entity: entity(AGENT, agentId(subject)) },
      action: { op: 'in', entities: actions.map((action) => entity('Action', action)) },
      resource: { op: 'is', entity_type: `${ENTITY_NAMESPACE}::${TOOL}` },
      conditions: [{ kind: 'when', body: matches(rule) }],
    },
  ];
  switch (rule.effect) {
    case 'Allow':
      return [policy('permit', ACTIONS)];
    case 'Ask':
      return [policy('permit', [CALL]), policy('forbid', [CALL_UNATTENDED])];
    case 'Deny':
      return [policy('forbid', ACTIONS)];
  }
}

function entity(type: string, id: string): Expr {
  return { type: `${ENTITY_NAMESPACE}::${type}`, id };
}

/**
 * Every condition reads both attributes, also for `*`: Cedar skips a policy that fails, and were a permit to need less of a tool than a
 * forbid does, a tool that lacks an attribute would get past the forbid alone.
 */
function matches({ server, tools }: ToolRule): Expr {
  const exact = tools.filter((tool) => !isPattern(tool));
  const names: Expr[] = exact.length === 0 ? [] : [{ contains: { left: { Value: exact }, right: attribute('name') } }];
  const patterns = tools.filter(isPattern).map(like);
  return {
    '&&': {
      left: { '==': { left: attribute('server'), right: { Value: server } } },
      right: anyOf([...names, ...patterns]),
    },
  };
}

function like(tool: string): Expr {
  const pattern = tool
    .split(WILDCARD)
    .flatMap((literal, i) => [...(i === 0 ? [] : ['Wildcard']), ...(literal === '' ? [] : [{ Literal: literal }])]);
  return { like: { left: attribute('name'), pattern } };
}

function attribute(attr: string): Expr {
  return { '.': { left: { Var: 'resource' }, attr } };
}

/** Halved, not chained: parsers of JSON take about a hundred levels. */
function anyOf(all: readonly Expr[]): Expr {
  if (all.length <= 1) return all[0] ?? { Value: false };
  const half = Math.ceil(all.length / 2);
  return { '||': { left: anyOf(all.slice(0, half)), right: anyOf(all.slice(half)) } };
}
