/** `agentplane rbac-report`: what each identity may do, from rendered manifests before anything is installed, or from a cluster. */
import { SEVERITIES, type Severity } from '../access/dangerous-right.ts';
import { isAtLeast } from '../access/findings.ts';
import { accessIn } from '../access/namespace.ts';
import { renderAccessJson, renderAccessMarkdown, renderAccessTable } from '../access/render.ts';
import { accessReport, type IdentityAccess, rolesWithoutReport } from '../access/report.ts';
import { renderAccessSarif } from '../access/sarif.ts';
import { InputError, type Manifest } from '../manifests/manifest.ts';
import { readManifests } from '../manifests/read.ts';
import { PRODUCT_VERSION } from '../version.ts';
import { clusterFlags, withCluster } from './cluster.ts';
import { type Command, EXIT_FOUND } from './command.ts';
import { type FlagValues, UsageError } from './flags.ts';
import type { Io } from './io.ts';
import { liveManifests } from './live-access.ts';
import { fileFlag, namespaceFlag, outputFlag } from './shared-flags.ts';

const FORMATS = ['table', 'markdown', 'json', 'sarif'] as const;
const NEVER = 'never';
const THRESHOLDS = [...SEVERITIES, NEVER] as const;

export const rbacReportCommand: Command = {
  flags: [
    { ...fileFlag, default: '' },
    { name: 'live', description: 'what is granted in the cluster now, in place of files' },
    namespaceFlag(
      'of files: the namespace of objects that name none; with --live: only its ServiceAccounts, and what is dangerous of their groups',
      '',
    ),
    ...clusterFlags,
    {
      name: 'fail-on',
      value: THRESHOLDS.join('|'),
      description: 'the severity from which a finding makes the exit code 2',
      default: 'Medium',
    },
    outputFlag(FORMATS),
  ],
  details: [
    'Exit code: 0 when no finding is as severe as --fail-on, 2 when one is, 1 when the input cannot be used.',
    '',
    'Example: helm template agentplane charts/agentplane -n agentplane | agentplane rbac-report -f -',
    '         agentplane rbac-report --live --namespace agentplane',
  ].join('\n'),
  run,
};

async function run(flags: FlagValues, io: Io): Promise<number> {
  const format = flags.oneOf('output', FORMATS);
  const threshold = flags.oneOf('fail-on', THRESHOLDS);
  if (flags.given('live') === flags.given('filename')) {
    throw new UsageError('name files with --filename, or the cluster with --live: one of the two');
  }
  const identities = flags.given('live') ? await ofCluster(flags) : await ofFiles(flags, io);
  io.print(render(identities, format, io));
  return isWorse(identities, threshold) ? EXIT_FOUND : 0;
}

async function ofFiles(flags: FlagValues, io: Io): Promise<readonly IdentityAccess[]> {
  const files = flags.all('filename');
  const defaultNamespace = flags.text('namespace') || 'default';
  const manifests = await readManifests(files, { stdin: io.stdin, defaultNamespace });
  const identities = accessReport(manifests, defaultNamespace);
  const unbound = rolesWithoutReport(manifests, defaultNamespace);
  if (unbound.length > 0) io.note(`not judged, since nothing among the manifests binds it: ${unbound.join(', ')}`);
  // An empty report would read as if nobody may do anything: most often the wrong files were named.
  if (identities.length > 0) return identities;
  throw new InputError([{ file: files.join(', '), message: 'holds no ServiceAccount and no binding of a role' }]);
}

async function ofCluster(flags: FlagValues): Promise<readonly IdentityAccess[]> {
  const manifests: readonly Manifest[] = await withCluster(flags, liveManifests);
  const namespace = flags.text('namespace');
  // Every object of a cluster names its namespace.
  const identities = accessReport(manifests, '', 'cluster');
  if (namespace === '') return identities;
  const asked = accessIn(namespace, identities);
  if (asked.length > 0) return asked;
  throw new Error(`there is no ServiceAccount in namespace ${namespace}, and no binding names one: see --namespace`);
}

function isWorse(identities: readonly IdentityAccess[], threshold: Severity | typeof NEVER): boolean {
  if (threshold === NEVER) return false;
  return identities.some(({ findings }) => findings.some((finding) => isAtLeast(finding, threshold)));
}

function render(identities: readonly IdentityAccess[], format: (typeof FORMATS)[number], io: Io): string {
  switch (format) {
    case 'table':
      return renderAccessTable(identities, { title: io.paint('bold'), bad: io.paint('red') });
    case 'markdown':
      return renderAccessMarkdown(identities);
    case 'json':
      return renderAccessJson(identities);
    case 'sarif':
      return renderAccessSarif(identities, PRODUCT_VERSION);
  }
}
