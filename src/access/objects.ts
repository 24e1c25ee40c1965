/** The RBAC objects among manifests, as far as they grant something. Read defensively: a manifest may say anything. Pure. */
import { isRecord } from '../kube/types.ts';
import type { Manifest, Source } from '../manifests/manifest.ts';

/** One rule of a Role, with empty lists for what it leaves out. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: every name. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface RoleObject {
  readonly kind: 'Role' | 'ClusterRole';
  /** Undefined for a ClusterRole. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly rules: readonly AccessRule[];
  /** Its rules are collected by the cluster from other ClusterRoles, by label. */
  readonly aggregated: boolean;
  /** ClusterRoles to whose rules the cluster adds these, by label: `view` and its like. */
  readonly addsTo: readonly string[];
  readonly source: Source;
}

export interface SubjectRef {
  readonly kind: string;
  /** Of a ServiceAccount. */
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface BindingObject {
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
  /** Where it grants. Undefined: everywhere, and what belongs to no namespace. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly role: { readonly kind: string; readonly name: string };
  readonly subjects: readonly SubjectRef[];
  readonly source: Source;
}

export interface AccessObjects {
  readonly accounts: readonly SubjectRef[];
  readonly roles: readonly RoleObject[];
  readonly bindings: readonly BindingObject[];
}

const RBAC_GROUP = 'rbac.authorization.k8s.io/';
export const AGGREGATE_LABEL = `${RBAC_GROUP}aggregate-to-`;

/** `defaultNamespace` is that of objects that name none. */
export function accessObjects(manifests: readonly Manifest[], defaultNamespace: string): AccessObjects {
  const accounts: SubjectRef[] = [];
  const roles: RoleObject[] = [];
  const bindings: BindingObject[] = [];
  for (const { object, source } of manifests) {
    const { kind, apiVersion, metadata } = object;
    const namespace = metadata.namespace ?? defaultNamespace;
    const inRbac = apiVersion.startsWith(RBAC_GROUP);
    if (kind === 'ServiceAccount' && apiVersion === 'v1') accounts.push({ kind, namespace, name: metadata.name });
    if (inRbac && (kind === 'Role' || kind === 'ClusterRole')) {
      roles.push({
        kind,
        namespace: kind === 'Role' ? namespace : undefined,
        name: metadata.name,
        rules: recordsOf(object.rules).map(ruleOf),
        aggregated: isRecord(object.aggregationRule),
        addsTo: kind === 'ClusterRole' ? addsTo(metadata.labels) : [],
        source,
      });
    }
    if (inRbac && (kind === 'RoleBinding' || kind === 'ClusterRoleBinding')) {
      const ref = isRecord(object.roleRef) ? object.roleRef : {};
      bindings.push({
        kind,
        namespace: kind === 'RoleBinding' ? namespace : undefined,
        name: metadata.name,
        role: { kind: textOf(ref.kind), name: textOf(ref.name) },
        subjects: recordsOf(object.subjects).map((subject) => subjectOf(subject, namespace)),
        source,
      });
    }
  }
  return { accounts, roles, bindings };
}

function ruleOf(rule: Readonly<Record<string, unknown>>): AccessRule {
  return {
    verbs: textsOf(rule.verbs),
    apiGroups: textsOf(rule.apiGroups),
    resources: textsOf(rule.resources),
    resourceNames: textsOf(rule.resourceNames),
    nonResourceURLs: textsOf(rule.nonResourceURLs),
  };
}

/** The convention of the roles that Kubernetes brings: `aggregate-to-admin`, `-edit`, `-view`. */
function addsTo(labels: unknown): readonly string[] {
  return Object.entries(isRecord(labels) ? labels : {})
    .filter(([key, value]) => key.startsWith(AGGREGATE_LABEL) && value === 'true')
    .map(([key]) => key.slice(AGGREGATE_LABEL.length));
}

/** The user that a ServiceAccount is to the API server. */
const ACCOUNT_AS_USER = /^system:serviceaccount:([^:]+):([^:]+)$/;

function subjectOf(subject: Readonly<Record<string, unknown>>, bindingNamespace: string): SubjectRef {
  const kind = textOf(subject.kind);
  const name = textOf(subject.name);
  const [, accountNamespace, account] = (kind === 'User' && ACCOUNT_AS_USER.exec(name)) || [];
  if (account !== undefined) return { kind: 'ServiceAccount', namespace: accountNamespace, name: account };
  const given = textOf(subject.namespace);
  return { kind, namespace: kind === 'ServiceAccount' ? given || bindingNamespace : undefined, name };
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
