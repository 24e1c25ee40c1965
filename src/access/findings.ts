/** The plainly dangerous among what an identity may do. Pure. */
import type { Source } from '../manifests/manifest.ts';
import { BROAD_SUBJECTS } from './broad-subjects.ts';
import { isForItself } from './built-in-roles.ts';
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { DANGEROUS_PATHS, dangerousPathsOf } from './dangerous-path.ts';
import { type DangerousRight, SEVERITIES, type Severity } from './dangerous-right.ts';
import type { AccessGrant, Identity } from './identities.ts';
import type { AccessRule } from './objects.ts';
import { reasonFor } from './reasons.ts';

export interface Finding {
  /** Stable, machine-readable. */
  readonly id: string;
  readonly severity: Severity;
  /** Where. Undefined: in every namespace, and what belongs to none. */
  readonly namespace: string | undefined;
  readonly binding: AccessGrant['binding'];
  readonly role: AccessGrant['role'];
  /** What gives the right, such as `list secrets`. */
  readonly right: string;
  readonly why: string;
  readonly source: Source;
}

export function findingsOf(identity: Identity): readonly Finding[] {
  return identity.grants.flatMap((grant) =>
    [
      ...aboutSubject(identity),
      ...aboutBinding(identity, grant),
      ...(grant.rules ?? []).flatMap((rule) => aboutGranted(identity, grant, rule)),
    ].map((item) => ({
      ...item,
      namespace: grant.namespace,
      binding: grant.binding,
      role: grant.role,
      source: grant.source,
    })),
  );
}

/** The dangers of the catalogue that are reached by one of the grants, by id. Undefined: a wildcard reaches any of them. */
export function reachedBy({ grants }: Pick<Identity, 'grants'>): ReadonlySet<string> | undefined {
  const rules = grants.flatMap((grant) => grant.rules ?? []);
  // One in a path reaches only paths: everybody may read /api/*.
  if (rules.some((rule) => DIMENSIONS.some((dimension) => rule[dimension].some(isWild)))) return undefined;
  return new Set([
    ...grants.flatMap((grant) => (grant.rules ?? []).flatMap((rule) => aboutRule(grant, rule).map(({ id }) => id))),
    ...grants.flatMap((grant) => (grant.rules ?? []).flatMap((rule) => aboutPaths(grant, rule).map(({ id }) => id))),
  ]);
}

/** Whether it is as bad as `threshold`, or worse. */
export function isAtLeast({ severity }: Finding, threshold: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(threshold);
}

/** Whether somebody should decide on it before it is installed. */
export function isDangerous(finding: Finding): boolean {
  return isAtLeast(finding, 'Medium');
}

type Reason = Pick<Finding, 'id' | 'severity' | 'right' | 'why'>;

/** What our own table gives a reason for has been decided on. It is told all the same. */
function aboutGranted(identity: Identity, grant: AccessGrant, rule: AccessRule): readonly Reason[] {
  const known = reasonFor(identity, grant, rule) !== undefined;
  return aboutRule(grant, rule).map((reason) => (known ? { ...reason, severity: 'Info' } : reason));
}

function aboutSubject({ kind, name }: Identity): readonly Reason[] {
  return BROAD_SUBJECTS.filter((broad) => broad.kind === kind && broad.pattern.test(name)).map(({ who }) => ({
    id: 'BroadSubject',
    severity: 'High',
    right: `every right of the role, for ${kind} ${name}`,
    why: `that is ${who}`,
  }));
}

function aboutBinding(identity: Identity, grant: AccessGrant): readonly Reason[] {
  const { role, rules = [], beyond, binding } = grant;
  const known =
    beyond === undefined && rules.length > 0 && rules.every((rule) => reasonFor(identity, grant, rule) !== undefined);
  const clusterWide: Reason = {
    id: 'ClusterWide',
    severity: known ? 'Info' : 'Medium',
    right: `${binding.kind} ${binding.name}`,
    why: 'it grants in every namespace, also those that come later: use a RoleBinding in each that is meant',
  };
  const unknown = (why: string): Reason => ({
    id: 'RightsUnknown',
    severity: 'Medium',
    right: `${role.kind} ${role.name}`,
    why,
  });
  return [
    ...(binding.kind === 'ClusterRoleBinding' ? [clusterWide] : []),
    ...(beyond === undefined ? [] : [unknown(beyond)]),
  ];
}

const DIMENSIONS = ['verbs', 'apiGroups', 'resources'] as const;

function aboutRule(grant: AccessGrant, rule: AccessRule): readonly Reason[] {
  const wild = [...DIMENSIONS, 'nonResourceURLs' as const].filter((dimension) => rule[dimension].some(isWild));
  // A wildcard reaches everything below: one finding says it better than ten.
  if (wild.length > 0) {
    const why = `a wildcard in ${wild.join(' and ')} grants what nobody listed, also what comes later: list what is needed`;
    return [{ id: 'Wildcard', severity: 'High', right: describeRule(rule), why }];
  }
  const rights = DANGEROUS_RIGHTS.filter((right) => holdsThere(grant, right)).flatMap((right) =>
    reached(rule, { ...right, severity: severityThere(grant, right) }),
  );
  return [...rights, ...aboutPaths(grant, rule)];
}

/** In one namespace no path is granted. */
function aboutPaths({ namespace }: AccessGrant, rule: AccessRule): readonly Reason[] {
  if (namespace !== undefined) return [];
  return DANGEROUS_PATHS.flatMap((dangerous) => {
    const { id, severity, why } = dangerous;
    const paths = dangerousPathsOf(rule, dangerous);
    return paths.length === 0 ? [] : [{ id, severity, right: `${rule.verbs.join(', ')} ${paths.join(', ')}`, why }];
  });
}

function severityThere({ namespace, binding }: AccessGrant, { severity, worseInSystem }: DangerousRight): Severity {
  const inSystem = namespace === 'kube-system' || isOfCluster({ namespace, binding });
  return worseInSystem && inSystem ? 'High' : severity;
}

function holdsThere({ namespace, binding }: AccessGrant, { where }: DangerousRight): boolean {
  if (where === undefined) return true;
  if (namespace === undefined) return where === 'cluster' ? isOfCluster({ namespace, binding }) : true;
  return namespace === where;
}

/** Roles that Kubernetes creates for itself are bound by it in the whole cluster; the others hold wherever somebody binds them. */
function isOfCluster({ namespace, binding }: Pick<AccessGrant, 'namespace' | 'binding'>): boolean {
  if (namespace !== undefined) return false;
  return binding.kind === 'ClusterRoleBinding' || (binding.kind === 'BuiltIn' && isForItself(binding.name));
}

function reached(rule: AccessRule, { id, severity, why, ...right }: DangerousRight): readonly Reason[] {
  if (right.fineWhenNamed && rule.resourceNames.length > 0) return [];
  const verbs = rule.verbs.filter((verb) => right.verbs.includes(verb));
  const resources = rule.resources.filter((resource) => right.resources.some((item) => covers(resource, item)));
  const groups = rule.apiGroups.filter((group) => right.apiGroups.includes(group));
  if (verbs.length === 0 || resources.length === 0 || groups.length === 0) return [];
  return [{ id, severity, right: `${verbs.join(', ')} ${resources.join(', ')}`, why }];
}

/** `userextras` stands for `userextras/scopes` and its like. */
function covers(granted: string, dangerous: string): boolean {
  return granted === dangerous || (dangerous === 'userextras' && granted.startsWith('userextras/'));
}

/** `*`, and `*` before a subresource or at the end of a path. */
function isWild(text: string): boolean {
  return text.includes('*');
}

export function describeRule(rule: AccessRule): string {
  return `${rule.verbs.join(', ')} ${describeResources(rule)}`;
}

/** `networkpolicies.networking.k8s.io, pods, named a, b`, or the paths of a rule that is about no resource. */
export function describeResources({ apiGroups, resources, resourceNames, nonResourceURLs }: AccessRule): string {
  const names = resources.flatMap((resource) =>
    apiGroups.map((group) => (group === '' ? resource : `${resource}.${group}`)),
  );
  const limits = resourceNames.length === 0 ? [] : [`named ${resourceNames.join(', ')}`];
  return [...names, ...nonResourceURLs, ...limits].join(', ');
}
