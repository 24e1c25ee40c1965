/**
 * The ClusterRoles that Kubernetes itself creates, as data: manifests bind them without holding them.
 * Source: kubernetes/kubernetes plugin/pkg/auth/authorizer/rbac/bootstrappolicy, v1.36.
 */
import type { AccessObjects, AccessRule, BindingObject, RoleObject } from './objects.ts';

export interface BuiltInRole {
  /** What it grants at least, as far as it is dangerous. */
  readonly rules: readonly AccessRule[];
  /** Why it may grant more than that. Undefined: these are all. */
  readonly beyond: string | undefined;
}

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const EVERY = ['get', 'list', 'watch', ...WRITES];

const EVERYTHING: readonly AccessRule[] = [
  rule('*', ['*'], ['*']),
  { ...rule('', [], ['*']), apiGroups: [], nonResourceURLs: ['*'] },
];

const OF_EDIT: readonly AccessRule[] = [
  rule('', ['secrets'], EVERY),
  rule('', ['serviceaccounts'], ['impersonate']),
  rule('', ['serviceaccounts/token', 'pods/eviction'], ['create']),
  rule('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'], EVERY),
  rule('', ['pods', 'replicationcontrollers', 'services', 'configmaps'], WRITES),
  rule('', ['pods/log'], ['get']),
  rule('apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets'], WRITES),
  rule('batch', ['cronjobs', 'jobs'], WRITES),
  rule('networking.k8s.io', ['networkpolicies'], WRITES),
];

const OF_ADMIN: readonly AccessRule[] = [
  ...OF_EDIT,
  rule('rbac.authorization.k8s.io', ['roles', 'rolebindings'], EVERY),
];

const COLLECTED =
  'Kubernetes creates it: listed is what of it is dangerous, and the cluster may have added more to it. --live reads it';
const UNREAD =
  'Kubernetes creates it, and the cluster may have added to it: what it grants is read from there (--live), from no manifest';
const RESERVED =
  'names with system: are those of Kubernetes: what the role grants is read from the cluster (--live), from no manifest';

const BUILT_IN: ReadonlyMap<string, BuiltInRole> = new Map([
  ['cluster-admin', { rules: EVERYTHING, beyond: undefined }],
  ['admin', { rules: OF_ADMIN, beyond: COLLECTED }],
  ['edit', { rules: OF_EDIT, beyond: COLLECTED }],
  ['view', { rules: [], beyond: UNREAD }],
]);

/** By the name of a ClusterRole. Undefined for one that only manifests can bring. */
export function builtInRole(name: string): BuiltInRole | undefined {
  return BUILT_IN.get(name) ?? (name.startsWith('system:') ? { rules: [], beyond: RESERVED } : undefined);
}

interface RoleOfEverybody {
  readonly groups: readonly string[];
  readonly rules: readonly AccessRule[];
}

const AUTHENTICATED = 'system:authenticated';
const HEALTH = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const APIS = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];
const ISSUER = ['/.well-known/openid-configuration', '/openid/v1/jwks'];

/** Bound in every cluster from its first start, to groups that each account is in. */
const OF_EVERYBODY: ReadonlyMap<string, RoleOfEverybody> = new Map([
  [
    'system:basic-user',
    {
      groups: [AUTHENTICATED],
      rules: [
        rule('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
        rule('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
      ],
    },
  ],
  ['system:discovery', { groups: [AUTHENTICATED], rules: [paths([...APIS, ...HEALTH])] }],
  ['system:public-info-viewer', { groups: [AUTHENTICATED, 'system:unauthenticated'], rules: [paths(HEALTH)] }],
  [
    'system:service-account-issuer-discovery',
    { groups: ['system:serviceaccounts'], rules: [paths(ISSUER.flatMap((path) => [path, `${path}/`]))] },
  ],
]);

/** One that Kubernetes creates for its own parts and its administrators, and binds itself. By the name of a ClusterRole. */
export function isForItself(name: string): boolean {
  return name === 'cluster-admin' || name.startsWith('system:');
}

/** One that Kubernetes creates, for whoever is bound to it; what everybody has is told of everybody. */
export function isForCustomers({ kind, name }: BindingObject['role']): boolean {
  return kind === 'ClusterRole' && builtInRole(name) !== undefined && !OF_EVERYBODY.has(name);
}

/** Whether everybody may have it: it is one of those that everybody has, and grants no more than Kubernetes gives to it. */
export function isHarmlessToAll(role: BindingObject['role'], rules: readonly AccessRule[]): boolean {
  const known = role.kind === 'ClusterRole' ? OF_EVERYBODY.get(role.name)?.rules : undefined;
  return known !== undefined && rules.every((each) => known.some((one) => isWithin(each, one)));
}

/**
 * The bindings that give what a manifest writes into such a role to everybody, although no manifest holds them. What the role has anyway
 * is given to nobody anew.
 */
export function bindingsOfEverybody({ roles, bindings }: AccessObjects): readonly BindingObject[] {
  return roles.flatMap((role) => {
    const groups = role.kind === 'ClusterRole' ? (OF_EVERYBODY.get(role.name)?.groups ?? []) : [];
    if (!role.aggregated && isHarmlessToAll(role, role.rules)) return [];
    const subjects = groups.filter((group) => !bindings.some((binding) => binds(binding, role, group)));
    return subjects.length === 0 ? [] : [bindingOf(role, subjects)];
  });
}

function binds(binding: BindingObject, role: RoleObject, group: string): boolean {
  return (
    binding.kind === 'ClusterRoleBinding' &&
    binding.role.kind === 'ClusterRole' &&
    binding.role.name === role.name &&
    binding.subjects.some(({ kind, name }) => kind === 'Group' && name === group)
  );
}

function bindingOf({ kind, name, source }: RoleObject, groups: readonly string[]): BindingObject {
  const subjects = groups.map((group) => ({ kind: 'Group', namespace: undefined, name: group }));
  return { kind: 'ClusterRoleBinding', namespace: undefined, name, role: { kind, name }, subjects, source };
}

/** Names limit a rule further. */
function isWithin(rule: AccessRule, wider: AccessRule): boolean {
  return (['verbs', 'apiGroups', 'resources', 'nonResourceURLs'] as const).every((dimension) =>
    rule[dimension].every((item) => wider[dimension].includes(item)),
  );
}

function rule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): AccessRule {
  return { verbs, apiGroups: [apiGroup], resources, resourceNames: [], nonResourceURLs: [] };
}

function paths(nonResourceURLs: readonly string[]): AccessRule {
  return { verbs: ['get'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs };
}
