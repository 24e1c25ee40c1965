/**
 * The RBAC objects among manifests, as far as they grant something. A manifest may say anything: what the API server would not read is
 * refused, for a right that is passed over looks like one that is not there. Pure.
 */
import { isRecord } from '../kube/types.ts';
import { type FieldPath, InputError, type Manifest, type Source } from '../manifests/manifest.ts';

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
/** OpenShift takes roles and bindings in a group of its own as well, in another form, and makes those of Kubernetes of them. */
const OPENSHIFT_GROUP = 'authorization.openshift.io/';
const ROLES_AND_BINDINGS: ReadonlySet<string> = new Set(['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']);
export const AGGREGATE_LABEL = `${RBAC_GROUP}aggregate-to-`;

/** `defaultNamespace` is that of objects that name none. Throws `InputError`. */
export function accessObjects(manifests: readonly Manifest[], defaultNamespace: string): AccessObjects {
  const accounts: SubjectRef[] = [];
  const roles: RoleObject[] = [];
  const bindings: BindingObject[] = [];
  for (const manifest of manifests) {
    const { kind, apiVersion, metadata } = manifest.object;
    const inRbac = apiVersion.startsWith(RBAC_GROUP);
    if (apiVersion.startsWith(OPENSHIFT_GROUP) && ROLES_AND_BINDINGS.has(kind)) throw ofOpenShift(manifest);
    if (kind === 'ServiceAccount' && apiVersion === 'v1') {
      accounts.push({ kind, namespace: namespaceOf(manifest, defaultNamespace), name: metadata.name });
    }
    if (inRbac && (kind === 'Role' || kind === 'ClusterRole')) {
      roles.push(roleOf(manifest, kind, defaultNamespace));
    }
    if (inRbac && (kind === 'RoleBinding' || kind === 'ClusterRoleBinding')) {
      bindings.push(bindingOf(manifest, kind, defaultNamespace));
    }
  }
  return { accounts, roles, bindings };
}

function ofOpenShift({ object, source }: Manifest): InputError {
  const message = `${object.kind} ${object.metadata.name} is of ${object.apiVersion}, which is not read here: write it as ${RBAC_GROUP}v1, which OpenShift makes of it`;
  return new InputError([{ file: source.file, line: source.line(['apiVersion']), message }]);
}

function roleOf({ object, source }: Manifest, kind: RoleObject['kind'], defaultNamespace: string): RoleObject {
  const { metadata } = object;
  return {
    kind,
    namespace: kind === 'Role' ? namespaceOf({ object, source }, defaultNamespace) : undefined,
    name: metadata.name,
    rules: recordsOf({ source, path: ['rules'], value: object.rules }).map(ruleOf),
    aggregated: isRecord(object.aggregationRule),
    addsTo: kind === 'ClusterRole' ? addsTo(metadata.labels) : [],
    source,
  };
}

function bindingOf({ object, source }: Manifest, kind: BindingObject['kind'], defaultNamespace: string): BindingObject {
  const namespace = namespaceOf({ object, source }, defaultNamespace);
  const roleRef = recordOf({ source, path: ['roleRef'], value: object.roleRef ?? {} });
  return {
    kind,
    namespace: kind === 'RoleBinding' ? namespace : undefined,
    name: object.metadata.name,
    role: nameOf(roleRef),
    subjects: recordsOf({ source, path: ['subjects'], value: object.subjects }).map((subject) =>
      subjectOf(subject, namespace),
    ),
    source,
  };
}

function namespaceOf({ object, source }: Manifest, defaultNamespace: string): string {
  // To the API server, an empty text is none.
  return textOf({ source, path: ['metadata', 'namespace'], value: object.metadata.namespace }) || defaultNamespace;
}

function ruleOf(rule: RecordField): AccessRule {
  return {
    verbs: textsOf(below(rule, 'verbs')),
    apiGroups: textsOf(below(rule, 'apiGroups')),
    resources: textsOf(below(rule, 'resources')),
    resourceNames: textsOf(below(rule, 'resourceNames')),
    nonResourceURLs: textsOf(below(rule, 'nonResourceURLs')),
  };
}

function nameOf(ref: RecordField): { readonly kind: string; readonly name: string } {
  // Nothing depends on the group, but an object with another value in it is refused as a whole.
  textOf(below(ref, 'apiGroup'));
  return { kind: textOf(below(ref, 'kind')), name: textOf(below(ref, 'name')) };
}

/** The convention of the roles that Kubernetes brings: `aggregate-to-admin`, `-edit`, `-view`. */
function addsTo(labels: unknown): readonly string[] {
  return Object.entries(isRecord(labels) ? labels : {})
    .filter(([key, value]) => key.startsWith(AGGREGATE_LABEL) && value === 'true')
    .map(([key]) => key.slice(AGGREGATE_LABEL.length));
}

/** The user that a ServiceAccount is to the API server. */
const ACCOUNT_AS_USER = /^system:serviceaccount:([^:]+):([^:]+)$/;

function subjectOf(subject: RecordField, bindingNamespace: string): SubjectRef {
  const { kind, name } = nameOf(subject);
  const given = textOf(below(subject, 'namespace'));
  const [, accountNamespace, account] = (kind === 'User' && ACCOUNT_AS_USER.exec(name)) || [];
  if (account !== undefined) return { kind: 'ServiceAccount', namespace: accountNamespace, name: account };
  return { kind, namespace: kind === 'ServiceAccount' ? given || bindingNamespace : undefined, name };
}

/** A value with its place, which a refusal names. */
interface Field {
  readonly source: Source;
  readonly path: FieldPath;
  readonly value: unknown;
}

interface RecordField extends Field {
  readonly value: Readonly<Record<string, unknown>>;
}

function below({ source, path, value }: RecordField, key: string): Field {
  return { source, path: [...path, key], value: value[key] };
}

/** The API server reads null as if the field were not there. */
function itemsOf(field: Field): readonly Field[] {
  const { source, path, value } = field;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw refusal(field, 'a list');
  return value.map((item: unknown, i) => ({ source, path: [...path, i], value: item }));
}

function recordsOf(field: Field): readonly RecordField[] {
  return itemsOf(field).map(recordOf);
}

function recordOf(field: Field): RecordField {
  const { value } = field;
  if (!isRecord(value)) throw refusal(field, 'a mapping');
  return { ...field, value };
}

function textsOf(field: Field): readonly string[] {
  return itemsOf(field).map(textOf);
}

/** The API server reads null as the empty text, also in a list: as an API group that is the core group. */
function textOf(field: Field): string {
  const { value } = field;
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw refusal(field, 'a text');
  return value;
}

function refusal({ source, path, value }: Field, wanted: string): InputError {
  const name = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);
  const message = `${name} is ${described(value)}, which the API server refuses: it has to be ${wanted}`;
  return new InputError([{ file: source.file, line: source.line(path), message }]);
}

function described(value: unknown): string {
  if (value === null) return 'nothing';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return Array.isArray(value) ? 'a list' : 'a mapping';
}
