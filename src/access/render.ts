/** The access of identities as it is printed. */
import { markdownTable } from '../text/markdown-table.ts';
import { printable, printableJson } from '../text/printable.ts';
import { type Paint, table } from '../text/table.ts';
import { describeResources, type Finding } from './findings.ts';
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
      const listed = rows.length === 0 ? 'no right of it is among the manifests' : table(HEADER, rows);
      const findings = identity.findings.map((finding) => paint.bad(`! ${describeFinding(finding)}`));
      return [paint.title(titleOf(identity)), listed, ...findings].join('\n');
    })
    .join('\n\n');
}

export function renderAccessMarkdown(identities: readonly IdentityAccess[]): string {
  const sections = identities.map((identity) => [
    `## ${titleOf(identity)}`,
    '',
    ...(identity.access.length === 0
      ? ['No right of it is among the manifests.']
      : markdownTable(
          HEADER.map((title) => title.toLowerCase()),
          identity.access.map(cellsOf),
        )),
    '',
    ...identity.findings.map((finding) => `- **Dangerous**: ${describeFinding(finding)}`),
    ...(identity.findings.length === 0 ? [] : ['']),
  ]);
  return ['# Who may do what', '', ...sections.flat()].join('\n').trimEnd();
}

/** The fields are described in docs/cli.md; none is ever renamed or removed. Where is `null` for everywhere. */
export function renderAccessJson(identities: readonly IdentityAccess[]): string {
  return printableJson({
    identities: identities.map(({ kind, namespace, name, access, findings }) => ({
      kind,
      namespace: namespace ?? null,
      name,
      access: access.map((row) => ({ ...row, namespace: row.namespace ?? null, why: row.why ?? null })),
      findings: findings.map((finding) => ({ ...finding, namespace: finding.namespace ?? null })),
    })),
  });
}

function titleOf({ kind, namespace, name }: IdentityAccess): string {
  return printable(namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`);
}

function cellsOf(row: AccessRow): string[] {
  return [whereOf(row), describeResources(row), row.verbs.join(', '), row.why ?? ''].map(printable);
}

function whereOf({ namespace }: Pick<AccessRow, 'namespace'>): string {
  return namespace ?? '(all)';
}

function describeFinding(finding: Finding): string {
  const { id, right, why, binding, role } = finding;
  return printable(
    `${id} in ${whereOf(finding)}: ${right}: ${why} (${binding.kind} ${binding.name}, ${role.kind} ${role.name})`,
  );
}
