/** The page that the evidence test writes. */
import { markdownTable } from '../../../src/text/markdown-table.ts';

export interface EvidenceRow {
  readonly what: string;
  readonly by: 'tenant' | 'operator';
  /** What became of it where only RBAC stood in the way. */
  readonly withoutAdmission: string;
  readonly refusal: string;
}

export function evidencePage(rows: readonly EvidenceRow[], namespace: string): string {
  const cells = rows.map(({ what, by, withoutAdmission, refusal }) => [
    what,
    by,
    withoutAdmission,
    refusal.replaceAll(namespace, 'agents'),
  ]);
  const onlyAdmission = rows.filter(({ withoutAdmission }) => withoutAdmission === 'passes').length;
  return `${[
    '# What admission refuses that RBAC lets through',
    '',
    '<!-- Written by test/api/admission/evidence.test.ts from what an API server answered. Do not edit. -->',
    '',
    `${rows.length} dangerous requests, each made twice: in a governed namespace with the admission policies of the chart`,
    'agentplane-cluster, and in one without them. Each has a twin that differs in the dangerous thing only, and that passed.',
    'The tenant holds the built-in role `edit`, the verb `use` on every RuntimeProfile, and `patch` on the subresources of pods. The',
    'operator holds its own Role without admission, and `cluster-admin` with it: the fence has to hold whatever RBAC grants.',
    '',
    `**${onlyAdmission} of ${rows.length} are stopped by admission alone.**`,
    '',
    ...markdownTable(['request', 'by', 'without admission', 'with admission: what the API server says'], cells),
  ].join('\n')}\n`;
}
