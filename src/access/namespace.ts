/** What of a cluster's report is about one namespace. Pure. */
import { isHarmlessToAll } from './built-in-roles.ts';
import { type Finding, isDangerous } from './findings.ts';
import type { IdentityAccess } from './report.ts';

/**
 * The ServiceAccounts of the namespace, and of the groups that they belong to those that hold anything dangerous: the accounts have it as
 * well. Empty where there is no account.
 */
export function accessIn(namespace: string, identities: readonly IdentityAccess[]): readonly IdentityAccess[] {
  const isHere = ({ kind, namespace: own }: IdentityAccess) => kind === 'ServiceAccount' && own === namespace;
  const groups = new Set(identities.filter(isHere).flatMap((account) => account.groups));
  return identities.flatMap((identity) => {
    if (isHere(identity)) return [identity];
    if (identity.kind !== 'Group' || !groups.has(identity.name)) return [];
    const findings = withoutDefaults(identity);
    return findings.some(isDangerous) ? [{ ...identity, findings }] : [];
  });
}

/** What Kubernetes grants to everybody in each cluster was decided by nobody here. It is told all the same. */
function withoutDefaults({ access, findings }: IdentityAccess): readonly Finding[] {
  const granted = (finding: Finding) => access.filter(({ role, binding }) => isSameGrant(finding, role, binding));
  // A role that could not be read has no rows.
  const isDefault = (finding: Finding) =>
    finding.id !== 'RightsUnknown' && isHarmlessToAll(finding.role, granted(finding));
  return findings.map((finding) => (isDefault(finding) ? { ...finding, severity: 'Info' } : finding));
}

function isSameGrant(finding: Finding, role: Finding['role'], binding: Finding['binding']): boolean {
  return (
    finding.role.kind === role.kind &&
    finding.role.name === role.name &&
    finding.binding.kind === binding.kind &&
    finding.binding.name === binding.name
  );
}
