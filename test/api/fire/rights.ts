/** Takes single rights of the operator away, and gives them back. */
import type { Client } from '../../../src/kube/client.ts';
import { isRecord, type KubeObject, type Resource } from '../../../src/kube/types.ts';

export interface Right {
  readonly namespace: string;
  readonly role: string;
  readonly apiGroup: string;
  /** With its subresource. */
  readonly resource: string;
  readonly verb: string;
}

const ROLES: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'roles', kind: 'Role' };
const WRITE = { fieldManager: 'test' };

/** Returns what gives it back. */
export async function revoke(admin: Client, right: Right): Promise<() => Promise<void>> {
  const ref = { namespace: right.namespace, name: right.role };
  const role = await admin.get(ROLES, ref);
  const rules = rulesOf(role);
  const without = rules.map((rule) =>
    concerns(rule, right) ? { ...rule, verbs: others(rule.verbs, right.verb) } : rule,
  );
  const left = without.filter(({ verbs }) => verbs.length > 0);
  await admin.mergePatch(ROLES, ref, { rules: left }, WRITE);
  return async () => {
    await admin.mergePatch(ROLES, ref, { rules }, WRITE);
  };
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function rulesOf(role: KubeObject): readonly PolicyRule[] {
  if (!Array.isArray(role.rules) || !role.rules.every(isRecord)) throw new Error('a Role has no rules');
  return role.rules as unknown as readonly PolicyRule[];
}

function concerns(rule: PolicyRule, { apiGroup, resource, verb }: Right): boolean {
  return rule.apiGroups.includes(apiGroup) && rule.resources.includes(resource) && rule.verbs.includes(verb);
}

function others(verbs: readonly string[], verb: string): readonly string[] {
  return verbs.filter((item) => item !== verb);
}
