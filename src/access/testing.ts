/** RBAC objects for the tests of this folder. */
import { parseManifests } from '../manifests/parse.ts';
import type { Origin } from './identities.ts';
import { accessReport, type IdentityAccess } from './report.ts';

export const GROUP = 'rbac.authorization.k8s.io';
/** The report of objects that are given as one file. */
export function report(objects: readonly object[], origin?: Origin): readonly IdentityAccess[] {
  return accessReport(
    parseManifests('f', objects.map((object) => JSON.stringify(object)).join('\n---\n')).manifests,
    'default',
    origin,
  );
}

export const role = (rules: readonly object[], kind = 'Role', metadata: object = {}) => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: 'r', ...(kind === 'Role' ? { namespace: 'a' } : {}), ...metadata },
  rules,
});

export const binding = (subjects: readonly object[], roleKind = 'Role', kind = 'RoleBinding') => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: 'b', ...(kind === 'RoleBinding' ? { namespace: 'a' } : {}) },
  roleRef: { apiGroup: GROUP, kind: roleKind, name: 'r' },
  subjects,
});

export const account = { kind: 'ServiceAccount', name: 'sa', namespace: 'x' };
export const rule = (verbs: readonly string[], resource: string, more: object = {}) => ({
  apiGroups: [''],
  resources: [resource],
  verbs,
  ...more,
});
export const of = (group: string, verbs: readonly string[], resource: string, more: object = {}) =>
  rule(verbs, resource, { apiGroups: [group], ...more });
