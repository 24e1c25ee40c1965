/** Why our own identities have a right: the table that the charts' Roles are generated from says it. Pure. */
import { grants } from '../../rbac/rules.ts';
import type { AccessRule, SubjectRef } from './objects.ts';

/** Undefined for a right that is not from that table. */
export function reasonFor(subject: SubjectRef, rule: AccessRule): string | undefined {
  if (subject.kind !== 'ServiceAccount') return undefined;
  const own = grants.filter(({ identity }) => identity === subject.name).flatMap(({ rules }) => rules);
  return own.find(
    ({ apiGroup, resource, verbs, resourceNames = [] }) =>
      same(rule.apiGroups, [apiGroup]) &&
      same(rule.resources, [resource]) &&
      same(rule.verbs, verbs) &&
      rule.resourceNames.length > 0 === resourceNames.length > 0,
  )?.why;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
