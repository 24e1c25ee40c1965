/** The access of identities as it is printed. */
import { markdownTable } from '../text/markdown-table.ts';
import { markdownText } from '../text/markdown-text.ts';
import { printable, printableJson } from '../text/printable.ts';
import { type Paint, table } from '../text/table.ts';
import { SEVERITIES } from './dangerous-right.ts';
import { describeResources, type Finding, isDangerous } from './findings.ts';
import { isWhereBound } from './identities.ts';
import type { AccessRow, IdentityAccess } from './report.ts';

export interface AccessPainter {
  readonly title: Paint;
  readonly bad: Paint;
}

const HEADER = ['NAMESPACE', 'RESOURCE', 'VERBS', 'WHY'];

export function renderAccessTable(identities: readonly IdentityAccess[], paint: AccessPainter): string {
  return identities
    .map((identity) => {
      const rows = identity.access.map(cellsOf);
      const listed = rows.length === 0 ? [noRights(identity)] : [table(HEADER, rows)];
      const findings = merged(identity.findings).map((finding) => {
        const text = `${finding.severity}: ${describeFinding(finding)}`;
        return isDangerous(finding) ? paint.bad(`! ${text}`) : `- ${text}`;
      });
      return [
        paint.title(titleOf(identity)),
        ...listed,
        ...groupsOf(identity),
        ...findings,
        ...lacksLine(identity),
      ].join('\n');
    })
    .join('\n\n');
}

export function renderAccessMarkdown(identities: readonly IdentityAccess[]): string {
  const sections = identities.map((identity) => [
    `## ${markdownText(titleOf(identity))}`,
    '',
    ...(identity.access.length === 0
      ? [noRights(identity)]
      : markdownTable(
          HEADER.map((title) => title.toLowerCase()),
          identity.access.map((row) => cellsOf(row).map(markdownText)),
        )),
    '',
    ...groupsOf(identity).flatMap((line) => [markdownText(line), '']),
    ...merged(identity.findings).map(
      (finding) => `- **${finding.severity}**: ${markdownText(describeFinding(finding))}`,
    ),
    ...(identity.findings.length === 0 ? [] : ['']),
    ...lacksLine(identity).flatMap((line) => [line, '']),
  ]);
  return ['# Who may do what', '', ...sections.flat()].join('\n').trimEnd();
}

/** The fields are described in docs/cli.md; none is ever renamed or removed. Where is `null` for everywhere. */
export function renderAccessJson(identities: readonly IdentityAccess[]): string {
  return printableJson({
    identities: identities.map(({ kind, namespace, name, access, groups, findings, lacks }) => ({
      kind,
      namespace: namespace ?? null,
      name,
      access: access.map((row) => ({ ...row, namespace: row.namespace ?? null, why: row.why ?? null })),
      groups,
      findings: findings.map(({ source, ...finding }) => ({ ...finding, namespace: finding.namespace ?? null })),
      lacks: lacks ?? null,
    })),
  });
}

/** `ServiceAccount agentplane/agentplane-operator`. */
export function titleOf({ kind, namespace, name }: IdentityAccess): string {
  if (kind === 'ClusterRole') return printable(`Whoever has ClusterRole ${name}`);
  return printable(namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`);
}

function noRights({ groups }: IdentityAccess): string {
  return groups.length === 0 ? 'No right of it is among the manifests.' : 'No right is granted to it by its name.';
}

function groupsOf({ groups }: IdentityAccess): readonly string[] {
  return groups.length === 0 ? [] : [printable(`It has also what is granted to Group ${groups.join(', ')}.`)];
}

function lacksLine({ lacks }: IdentityAccess): readonly string[] {
  if (lacks === undefined) return ['What it lacks cannot be told: what a role of it grants is not known.'];
  return lacks.length === 0 ? [] : [`It lacks, of what is dangerous: ${lacks.join(', ')}.`];
}

/** One for each danger of one role in one place, with all that gives it; the worst first. */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const byDanger = new Map<string, Finding>();
  for (const finding of findings) {
    const { id, severity, namespace, binding, role, right } = finding;
    const key = JSON.stringify([id, severity, namespace, binding, role]);
    const other = byDanger.get(key);
    byDanger.set(key, other === undefined ? finding : { ...other, right: `${other.right}; ${right}` });
  }
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return [...byDanger.values()].sort((a, b) => rank(a) - rank(b));
}

function cellsOf(row: AccessRow): string[] {
  return [whereOf(row), describeResources(row), row.verbs.join(', '), row.why ?? ''].map(printable);
}

function whereOf({ namespace, binding }: Pick<AccessRow, 'namespace' | 'binding'>): string {
  return namespace ?? (isWhereBound(binding) ? '(where it is bound)' : '(all)');
}

function describeFinding(finding: Finding): string {
  const { id, right, why, binding, role } = finding;
  return printable(
    `${id} in ${whereOf(finding)}: ${right}: ${why} (${binding.kind} ${binding.name}, ${role.kind} ${role.name})`,
  );
}
