/** Single rights, the smallest thing that RBAC grants: one verb on one resource, perhaps of one name. */
import type { V1PolicyRule } from '@kubernetes/client-node';
import type { JsonMap } from '../../../constructs/expr/json.ts';
import { metadataOf, ofKind } from '../../chart/support/objects.ts';

export interface Right {
  /** Left out for what is cluster-scoped. */
  readonly namespace?: string;
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** Plural, with the subresource if there is one. */
  readonly resource: string;
  readonly verb: string;
  /** Left out: every name. */
  readonly name?: string;
}

/** What the Roles among the objects grant, each right once. */
export function rightsOfRoles(objects: readonly JsonMap[]): readonly Right[] {
  const all = ofKind(objects, 'Role').flatMap((role) =>
    rightsOfRules(metadataOf(role).namespace ?? '', (role.rules ?? []) as unknown as readonly V1PolicyRule[]),
  );
  return [...new Map(all.map((right) => [textOf(right), right])).values()];
}

export function rightsOfRules(namespace: string, rules: readonly V1PolicyRule[]): readonly Right[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) => {
    const named = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ name }));
    return apiGroups.flatMap((apiGroup) =>
      resources.flatMap((resource) =>
        named.flatMap((names) => verbs.map((verb) => ({ namespace, apiGroup, resource, verb, ...names }))),
      ),
    );
  });
}

/** `get leases.coordination.k8s.io "agentplane-operator" in agents`. Equal exactly for equal rights. */
export function textOf({ namespace, apiGroup, resource, verb, name }: Right): string {
  const group = apiGroup === '' ? '' : `.${apiGroup}`;
  const named = name === undefined ? '' : ` "${name}"`;
  return `${verb} ${resource}${group}${named} in ${namespace ?? 'the cluster'}`;
}

export function textsOf(rights: readonly Right[]): readonly string[] {
  return [...new Set(rights.map(textOf))].sort();
}

/** Whether holding `wide` is holding `narrow`. */
export function includes(wide: Right, narrow: Right): boolean {
  const sameName = wide.name === undefined || wide.name === narrow.name;
  return sameName && textOf({ ...wide, name: '' }) === textOf({ ...narrow, name: '' });
}

export function ruleOf({ apiGroup, resource, verb, name }: Right): V1PolicyRule {
  const names = name === undefined ? {} : { resourceNames: [name] };
  return { apiGroups: [apiGroup], resources: [resource], verbs: [verb], ...names };
}

/**
 * The rights of which the API server says "attempting to grant RBAC permissions not currently held". It prints rules as
 * `{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["get" "list"]}`: CompactString in
 * kubernetes/kubernetes staging/src/k8s.io/component-helpers/auth/rbac/validation.
 */
export function rightsNotHeld(message: string): readonly Omit<Right, 'namespace'>[] {
  const rules = [...message.replaceAll('\\"', '"').matchAll(/\{APIGroups:[^}]*\}/g)].map(([text]) => ({
    apiGroups: words(text, 'APIGroups'),
    resources: words(text, 'Resources'),
    resourceNames: words(text, 'ResourceNames'),
    verbs: words(text, 'Verbs'),
  }));
  return rightsOfRules('', rules).map(({ namespace: _, ...right }) => right);
}

function words(text: string, field: string): string[] {
  const list = new RegExp(`\\b${field}:\\[([^\\]]*)\\]`).exec(text)?.[1] ?? '';
  return [...list.matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
}
