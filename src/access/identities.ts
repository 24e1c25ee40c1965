/** What each identity may do, by the bindings that name it. Pure. */
import { operatorGoverned } from '../../rbac/rules.ts';
import type { Source } from '../manifests/manifest.ts';
import { bindingsOfEverybody, builtInRole, isForCustomers } from './built-in-roles.ts';
import {
  type AccessObjects,
  type AccessRule,
  AGGREGATE_LABEL,
  type BindingObject,
  type RoleObject,
  type SubjectRef,
} from './objects.ts';

export interface AccessGrant {
  /** Undefined: in every namespace, and what belongs to none; of a role that is added to, or that Kubernetes creates, wherever it is bound. */
  readonly namespace: string | undefined;
  readonly binding: { readonly kind: BindingObject['kind'] | 'Label' | 'BuiltIn'; readonly name: string };
  readonly role: BindingObject['role'];
  /** Undefined: the role is not among the manifests, so nobody can tell from them what it grants. */
  readonly rules: readonly AccessRule[] | undefined;
  /** Why the role may grant more than `rules`. Undefined: they are all. */
  readonly beyond: string | undefined;
  /** Of the role; of the binding where there is no role. */
  readonly source: Source;
}

export interface Identity extends SubjectRef {
  readonly grants: readonly AccessGrant[];
  /** The groups of the manifests that it is known to belong to, whose grants it has as well. */
  readonly groups: readonly string[];
  /** Of a ServiceAccount: where the install in its namespace governs. */
  readonly governed: ReadonlySet<string>;
}

/** What was read. Of a cluster everything was; manifests leave out what the cluster has anyway. */
export type Origin = 'manifests' | 'cluster';

/** Every subject of a binding, every ServiceAccount, also one that may do nothing, and every ClusterRole that is added to; sorted. */
export function identitiesOf(objects: AccessObjects, origin: Origin): readonly Identity[] {
  const { accounts, roles } = objects;
  const bindings = [...objects.bindings, ...(origin === 'manifests' ? bindingsOfEverybody(objects) : [])];
  const rolesByKey = new Map(roles.map((role) => [keyOf(role), role]));
  const byKey = new Map<string, { readonly subject: SubjectRef; readonly grants: AccessGrant[] }>();
  const entry = (subject: SubjectRef) => {
    const key = JSON.stringify([subject.kind, subject.namespace ?? '', subject.name]);
    const found = byKey.get(key) ?? { subject, grants: [] };
    byKey.set(key, found);
    return found;
  };
  for (const account of accounts) entry(account);
  for (const binding of bindings) {
    const grant = grantOf(binding, rolesByKey.get(boundKey(binding)), origin);
    for (const subject of binding.subjects) entry(subject).grants.push(grant);
  }
  for (const role of roles) {
    if (origin === 'manifests' && isForCustomers(role)) {
      entry({ kind: 'ClusterRole', namespace: undefined, name: role.name }).grants.push(rewritten(role));
    }
    for (const name of role.addsTo) {
      entry({ kind: 'ClusterRole', namespace: undefined, name }).grants.push(addedBy(role, name, origin));
    }
  }
  const groups = new Set(
    [...byKey.values()].flatMap(({ subject }) => (subject.kind === 'Group' ? [subject.name] : [])),
  );
  const governed = governedBy([...byKey.values()]);
  const NOWHERE: ReadonlySet<string> = new Set();
  return [...byKey]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { subject, grants }]) => ({
      ...subject,
      grants,
      groups: groupsOf(subject, groups),
      governed: governed.get(subject.namespace ?? '') ?? NOWHERE,
    }));
}

/** By the namespace of an install, where its operator has its Role. */
function governedBy(
  all: readonly { readonly subject: SubjectRef; readonly grants: readonly AccessGrant[] }[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const { identity, role } = operatorGoverned;
  const operators = all.filter(({ subject }) => subject.kind === 'ServiceAccount' && subject.name === identity);
  return new Map(
    operators.map(({ subject, grants }) => {
      const theirs = grants.filter((grant) => grant.role.kind === 'Role' && grant.role.name === role);
      return [subject.namespace ?? '', new Set(theirs.flatMap(({ namespace }) => namespace ?? []))];
    }),
  );
}

/** Roles from which nobody among the manifests has anything: who has one elsewhere, or will, they do not say. */
export function unboundRoles(objects: AccessObjects): readonly RoleObject[] {
  const bindings = [...objects.bindings, ...bindingsOfEverybody(objects)];
  const bound = new Set(bindings.filter(({ subjects }) => subjects.length > 0).map(boundKey));
  return objects.roles.filter((role) => role.addsTo.length === 0 && !isForCustomers(role) && !bound.has(keyOf(role)));
}

/** Whether the grant holds wherever somebody is bound to the role, which manifests do not say. */
export function isWhereBound({ kind }: AccessGrant['binding']): boolean {
  return kind === 'Label' || kind === 'BuiltIn';
}

/** What a manifest says that such a role grants; what it grants anyway is told of nobody anew. */
function rewritten(role: RoleObject): AccessGrant {
  const { kind, name, rules, source } = role;
  const binding = { kind: 'BuiltIn', name } as const;
  return { namespace: undefined, binding, role: { kind, name }, rules, beyond: beyondRead(role), source };
}

/** Those of the manifests that the API server puts the subject into. */
function groupsOf({ kind, namespace, name }: SubjectRef, groups: ReadonlySet<string>): readonly string[] {
  return ownGroups({ kind, namespace, name }).filter((group) => groups.has(group));
}

function ownGroups({ kind, namespace, name }: SubjectRef): readonly string[] {
  if (kind === 'User') return [name === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'];
  if (kind === 'ServiceAccount') {
    return ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  }
  // What its members are in as well.
  if (kind !== 'Group' || name === 'system:authenticated' || name === 'system:unauthenticated') return [];
  return ['system:authenticated', ...(name.startsWith('system:serviceaccounts:') ? ['system:serviceaccounts'] : [])];
}

function addedBy(role: RoleObject, name: string, origin: Origin): AccessGrant {
  return {
    namespace: undefined,
    binding: { kind: 'Label', name: `${AGGREGATE_LABEL}${name}` },
    role: { kind: role.kind, name: role.name },
    ...contentOf(role, role, origin),
    source: role.source,
  };
}

function grantOf(binding: BindingObject, role: RoleObject | undefined, origin: Origin): AccessGrant {
  return {
    namespace: binding.namespace,
    binding: { kind: binding.kind, name: binding.name },
    role: binding.role,
    ...contentOf(binding.role, role, origin),
    source: (role ?? binding).source,
  };
}

function keyOf({ kind, namespace, name }: Pick<RoleObject, 'kind' | 'namespace' | 'name'>): string {
  return JSON.stringify([kind, kind === 'ClusterRole' ? '' : namespace, name]);
}

/** Of the role that it binds. */
function boundKey({ role, namespace }: BindingObject): string {
  return JSON.stringify([role.kind, role.kind === 'ClusterRole' ? '' : (namespace ?? ''), role.name]);
}

const NOT_READ = 'what it grants is not among the manifests, so that nobody can review it';

const COLLECTED =
  'the cluster collects by label what it grants, and may have more of it than the manifests, so that nobody can review it';

function beyondRead(role: RoleObject | undefined): string | undefined {
  if (role === undefined) return NOT_READ;
  return role.aggregated ? COLLECTED : undefined;
}

/** `role` is what was read of it, if anything was. */
function contentOf(
  { kind, name }: BindingObject['role'],
  role: RoleObject | undefined,
  origin: Origin,
): Pick<AccessGrant, 'rules' | 'beyond'> {
  const read = role?.rules;
  const builtIn = kind === 'ClusterRole' && origin === 'manifests' ? builtInRole(name) : undefined;
  if (builtIn === undefined) return { rules: read, beyond: beyondRead(role) };
  // A manifest of that name may never reach the cluster, and if it does, Kubernetes adds what is missing at its next start.
  return { rules: [...builtIn.rules, ...(read ?? [])], beyond: builtIn.beyond };
}
