/** What each identity may do, by the bindings that name it. Pure. */
import type { AccessObjects, AccessRule, BindingObject, RoleObject, SubjectRef } from './objects.ts';

export interface AccessGrant {
  /** Undefined: in every namespace, and what belongs to none. */
  readonly namespace: string | undefined;
  readonly binding: Pick<BindingObject, 'kind' | 'name'>;
  readonly role: BindingObject['role'];
  /** Undefined: the role is not among the manifests, or its rules are not, so nobody can tell from them what it grants. */
  readonly rules: readonly AccessRule[] | undefined;
}

export interface Identity extends SubjectRef {
  readonly grants: readonly AccessGrant[];
}

/** Every subject of a binding, and every ServiceAccount, also one that may do nothing; sorted. */
export function identitiesOf({ accounts, roles, bindings }: AccessObjects): readonly Identity[] {
  const byKey = new Map<string, { readonly subject: SubjectRef; readonly grants: AccessGrant[] }>();
  const entry = (subject: SubjectRef) => {
    const key = JSON.stringify([subject.kind, subject.namespace ?? '', subject.name]);
    const found = byKey.get(key) ?? { subject, grants: [] };
    byKey.set(key, found);
    return found;
  };
  for (const account of accounts) entry(account);
  for (const binding of bindings) {
    for (const subject of binding.subjects) entry(subject).grants.push(grantOf(binding, roles));
  }
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { subject, grants }]) => ({ ...subject, grants }));
}

function grantOf(binding: BindingObject, roles: readonly RoleObject[]): AccessGrant {
  const { kind, name } = binding.role;
  const role = roles.find(
    (item) =>
      item.kind === kind && item.name === name && (item.kind === 'ClusterRole' || item.namespace === binding.namespace),
  );
  return {
    namespace: binding.namespace,
    binding: { kind: binding.kind, name: binding.name },
    role: binding.role,
    rules: role === undefined || role.aggregated ? undefined : role.rules,
  };
}
