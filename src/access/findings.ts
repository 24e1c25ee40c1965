/** The plainly dangerous among what an identity may do. Pure. */
import { BROAD_SUBJECTS, DANGEROUS_RIGHTS, type DangerousRight, type Severity } from './catalogue.ts';
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
}

export function findingsOf(identity: Identity): readonly Finding[] {
  return identity.grants.flatMap((grant) =>
    [
      ...aboutSubject(identity),
      ...aboutBinding(grant),
      ...(grant.rules ?? []).flatMap((rule) => aboutGranted(identity, grant, rule)),
    ].map((item) => ({
      ...item,
      namespace: grant.namespace,
      binding: grant.binding,
      role: grant.role,
    })),
  );
}

/** Whether somebody should decide on it before it is installed. */
export function isDangerous({ severity }: Finding): boolean {
  return severity !== 'Info';
}

type Reason = Pick<Finding, 'id' | 'severity' | 'right' | 'why'>;

/** What our own table gives a reason for has been decided on. It is told all the same. */
function aboutGranted(identity: Identity, grant: AccessGrant, rule: AccessRule): readonly Reason[] {
  const known = reasonFor(identity, grant, rule) !== undefined;
  return aboutRule(rule).map((reason) => (known ? { ...reason, severity: 'Info' } : reason));
}

function aboutSubject({ kind, name }: Identity): readonly Reason[] {
  return BROAD_SUBJECTS.filter((broad) => broad.kind === kind && broad.pattern.test(name)).map(({ who }) => ({
    id: 'BroadSubject',
    severity: 'High',
    right: `every right of the role, for ${kind} ${name}`,
    why: `that is ${who}`,
  }));
}

function aboutBinding({ role, rules, binding }: AccessGrant): readonly Reason[] {
  const clusterWide: Reason = {
    id: 'ClusterWide',
    severity: 'Medium',
    right: `${binding.kind} ${binding.name}`,
    why: 'it grants in every namespace, also those that come later: use a RoleBinding in each that is meant',
  };
  const unknown: Reason = {
    id: 'RightsUnknown',
    severity: 'Medium',
    right: `${role.kind} ${role.name}`,
    why: 'what it grants is not among the manifests, so that nobody can review it',
  };
  return [...(binding.kind === 'ClusterRoleBinding' ? [clusterWide] : []), ...(rules === undefined ? [unknown] : [])];
}

const DIMENSIONS = ['verbs', 'apiGroups', 'resources'] as const;

function aboutRule(rule: AccessRule): readonly Reason[] {
  const wild = [...DIMENSIONS, 'nonResourceURLs' as const].filter((dimension) => rule[dimension].some(isWild));
  // A wildcard reaches everything below: one finding says it better than ten.
  if (wild.length > 0) {
    const why = `a wildcard in ${wild.join(' and ')} grants what nobody listed, also what comes later: list what is needed`;
    return [{ id: 'Wildcard', severity: 'High', right: describeRule(rule), why }];
  }
  return DANGEROUS_RIGHTS.flatMap((right) => reached(rule, right));
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
