/** `agentplane rbac-report`: what each identity may do, from rendered manifests, before anything is installed. */
import { isDangerous } from '../access/findings.ts';
import { renderAccessJson, renderAccessMarkdown, renderAccessTable } from '../access/render.ts';
import { accessReport, type IdentityAccess } from '../access/report.ts';
import { InputError } from '../manifests/manifest.ts';
import { readManifests } from '../manifests/read.ts';
import { type Command, EXIT_FOUND } from './command.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { fileFlag, namespaceFlag, outputFlag } from './shared-flags.ts';

const FORMATS = ['table', 'markdown', 'json'] as const;

export const rbacReportCommand: Command = {
  flags: [fileFlag, namespaceFlag('the namespace of objects that name none', 'default'), outputFlag(FORMATS)],
  details: [
    'Exit code: 0 when no grant is plainly dangerous, 2 when one is, 1 when the input cannot be used.',
    '',
    'Example: helm template agentplane charts/agentplane -n agentplane | agentplane rbac-report -f -',
  ].join('\n'),
  run,
};

async function run(flags: FlagValues, io: Io): Promise<number> {
  const format = flags.oneOf('output', FORMATS);
  const files = flags.all('filename');
  const defaultNamespace = flags.text('namespace');
  const manifests = await readManifests(files, { stdin: io.stdin, defaultNamespace });
  const identities = accessReport(manifests, defaultNamespace);
  // An empty report would read as if nobody may do anything: most often the wrong files were named.
  if (identities.length === 0) {
    throw new InputError([{ file: files.join(', '), message: 'holds no ServiceAccount and no binding of a role' }]);
  }
  io.print(render(identities, format, io));
  return identities.some(({ findings }) => findings.some(isDangerous)) ? EXIT_FOUND : 0;
}

function render(identities: readonly IdentityAccess[], format: (typeof FORMATS)[number], io: Io): string {
  switch (format) {
    case 'table':
      return renderAccessTable(identities, { title: io.paint('bold'), bad: io.paint('red') });
    case 'markdown':
      return renderAccessMarkdown(identities);
    case 'json':
      return renderAccessJson(identities);
  }
}
