/** Why our own identities have a right: the table that the charts' Roles are generated from says it. Pure. */
import { type Grant, grants } from '../../rbac/rules.ts';
import type { AccessGrant } from './identities.ts';
import type { AccessRule, SubjectRef } from './objects.ts';

/** Undefined for a right that is not from that table: a name alone vouches for nothing. */
export function reasonFor(
  subject: SubjectRef,
  given: Pick<AccessGrant, 'namespace' | 'role'>,
  rule: AccessRule,
): string | undefined {
  return grants
    .filter((grant) => isThatGrant(grant, subject, given))
    .flatMap(({ rules }) => rules)
    .find(
      ({ apiGroup, resource, verbs, resourceNames = [], resourceNamesFrom }) =>
        same(rule.apiGroups, [apiGroup]) &&
        same(rule.resources, [resource]) &&
        same(rule.verbs, verbs) &&
        (resourceNamesFrom === undefined ? same(rule.resourceNames, resourceNames) : rule.resourceNames.length > 0),
    )?.why;
}

function isThatGrant(
  { identity, role, namespace }: Grant,
  subject: SubjectRef,
  given: Pick<AccessGrant, 'namespace' | 'role'>,
): boolean {
  if (subject.kind !== 'ServiceAccount' || subject.name !== identity) return false;
  if (given.role.kind !== 'Role' || given.role.name !== role) return false;
  switch (namespace) {
    case 'governed':
      return true;
    case 'install':
      return given.namespace === subject.namespace;
    case 'kube-system':
      return given.namespace === namespace;
    case 'probe':
      // Never its own: there it could run pods as the operator.
      return given.namespace !== undefined && given.namespace !== subject.namespace;
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
