/** Why our own identities have a right: the table that the charts' Roles are generated from says it. Pure. */
import { runtimeClassesRead } from '../../rbac/cluster-rules.ts';
import { customerRoleName, customerRoles } from '../../rbac/customer-rules.ts';
import { type Grant, grants, type Rule } from '../../rbac/rules.ts';
import { GROUP } from '../api/meta.ts';
import type { AccessGrant, Identity } from './identities.ts';
import type { AccessRule } from './objects.ts';

type Subject = Pick<Identity, 'kind' | 'namespace' | 'name' | 'governed'>;

/** Those of the cluster, which the chart refuses to govern: a Role of our name there is not ours. */
const OF_THE_CLUSTER = ['kube-system', 'kube-public', 'kube-node-lease'];
/** Those that the chart refuses for canaries: in `default` others run. */
const NOT_FOR_CANARIES = [...OF_THE_CLUSTER, 'default'];

type KnownRule = Omit<Rule, 'resourceNamesFrom'> & { readonly resourceNamesFrom?: string };

/** Undefined for a right that is not from that table: a name alone vouches for nothing. */
export function reasonFor(
  subject: Subject,
  given: Pick<AccessGrant, 'namespace' | 'role' | 'binding'>,
  rule: AccessRule,
): string | undefined {
  const ours: readonly KnownRule[] = grants
    .filter((grant) => isThatGrant(grant, subject, given))
    .flatMap(({ rules }) => rules);
  const known = isOfTheCluster(subject, given) ? [...ours, runtimeClassesRead.rule] : ours;
  return known.find((each) => isThatRule(each, rule))?.why ?? reasonForCustomers(subject, given, rule);
}

/** What a platform admin adds to the customer's own roles, by asking the chart for it: who has those is the customer's decision. */
function reasonForCustomers(
  subject: Subject,
  { role, binding }: Pick<AccessGrant, 'role' | 'binding'>,
  rule: AccessRule,
): string | undefined {
  const added = Object.entries(customerRoles).find(([name]) => name === subject.name);
  if (subject.kind !== 'ClusterRole' || binding.kind !== 'Label' || added === undefined) return undefined;
  const [name, rules] = added;
  if (role.kind !== 'ClusterRole' || role.name !== customerRoleName(name)) return undefined;
  return rules.find(
    ({ resources, verbs }) =>
      same(rule.apiGroups, [GROUP]) &&
      same(rule.resources, resources) &&
      same(rule.verbs, verbs) &&
      same(rule.nonResourceURLs, []) &&
      same(rule.resourceNames, []),
  )?.why;
}

function isThatRule(
  { apiGroup, resource, verbs, resourceNames = [], resourceNamesFrom }: KnownRule,
  rule: AccessRule,
): boolean {
  return (
    same(rule.apiGroups, [apiGroup]) &&
    same(rule.resources, [resource]) &&
    same(rule.verbs, verbs) &&
    same(rule.nonResourceURLs, []) &&
    (resourceNamesFrom === undefined ? same(rule.resourceNames, resourceNames) : rule.resourceNames.length > 0)
  );
}

function isOfTheCluster({ kind, name }: Subject, { role }: Pick<AccessGrant, 'role'>): boolean {
  const { identity, role: ours } = runtimeClassesRead;
  return kind === 'ServiceAccount' && name === identity && role.kind === 'ClusterRole' && role.name === ours;
}

function isThatGrant(
  { identity, role, namespace }: Grant,
  subject: Subject,
  given: Pick<AccessGrant, 'namespace' | 'role'>,
): boolean {
  if (subject.kind !== 'ServiceAccount' || subject.name !== identity) return false;
  if (given.role.kind !== 'Role' || given.role.name !== role) return false;
  return given.namespace !== undefined && isThatPlace(namespace, given.namespace, subject);
}

function isThatPlace(place: Grant['namespace'], namespace: string, { namespace: home, governed }: Subject): boolean {
  switch (place) {
    case 'governed':
      return !OF_THE_CLUSTER.includes(namespace);
    case 'install':
      return namespace === home && !OF_THE_CLUSTER.includes(namespace);
    case 'kube-system':
      return namespace === place;
    case 'probe':
      // Never its own, where it could run pods as the operator, nor one in which others run.
      return namespace !== home && !governed.has(namespace) && !NOT_FOR_CANARIES.includes(namespace);
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
