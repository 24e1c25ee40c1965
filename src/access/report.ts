/** From manifests to the access of each identity, with reasons where they are known and what is plainly dangerous. Pure. */
import type { Manifest } from '../manifests/manifest.ts';
import { selectedSources, withCollected } from './aggregation.ts';
import { type Finding, findingsOf } from './findings.ts';
import { type AccessGrant, identitiesOf, type Origin, unboundRoles } from './identities.ts';
import { lacksOf } from './lacks.ts';
import { type AccessRule, accessObjects, type SubjectRef } from './objects.ts';
import { reasonFor } from './reasons.ts';

export interface AccessRow extends AccessRule {
  /** Undefined: in every namespace, and what belongs to none. */
  readonly namespace: string | undefined;
  readonly role: AccessGrant['role'];
  readonly binding: AccessGrant['binding'];
  readonly why: string | undefined;
}

export interface IdentityAccess extends SubjectRef {
  readonly access: readonly AccessRow[];
  readonly groups: readonly string[];
  readonly findings: readonly Finding[];
  /** What of the catalogue it does not reach. Undefined where nobody can tell: what a role of it grants is not known. */
  readonly lacks: readonly string[] | undefined;
}

export function accessReport(
  manifests: readonly Manifest[],
  defaultNamespace: string,
  origin: Origin = 'manifests',
): readonly IdentityAccess[] {
  const objects = withCollected(accessObjects(manifests, defaultNamespace), manifests);
  const identities = identitiesOf(objects, origin);
  const groupsByName = new Map(identities.filter(({ kind }) => kind === 'Group').map((group) => [group.name, group]));
  return identities.map((identity) => {
    const { kind, namespace, name, grants, groups } = identity;
    const access = grants.flatMap(({ rules = [], ...grant }) =>
      rules.map((rule) => ({
        namespace: grant.namespace,
        binding: grant.binding,
        role: grant.role,
        ...rule,
        why: reasonFor(identity, grant, rule),
      })),
    );
    const findings = findingsOf(identity);
    return { kind, namespace, name, access, groups, findings, lacks: lacksOf(identity, groupsByName) };
  });
}

/** Names of roles that grant nothing by these manifests, and are in no report for that: `Role a/r`. */
export function rolesWithoutReport(manifests: readonly Manifest[], defaultNamespace: string): readonly string[] {
  const objects = accessObjects(manifests, defaultNamespace);
  const unbound = new Set(unboundRoles(objects));
  const reported = objects.roles.filter((role) => !unbound.has(role));
  const selected = selectedSources(reported, objects, manifests);
  return [...unbound]
    .filter(({ source }) => !selected.has(source))
    .map(({ kind, namespace, name }) => (namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`));
}
