/** `agentplane status`: which policies are in force, and what stands in the way of the others. */
import { EGRESS_POLICIES } from '../controllers/resources.ts';
import { policyStatus } from '../status/policy-status.ts';
import { renderStatusJson, renderStatusTable } from '../status/render.ts';
import { clusterFlags, withCluster } from './cluster.ts';
import type { Command } from './command.ts';
import { type FlagValues, UsageError } from './flags.ts';
import type { Io } from './io.ts';
import { namespaceFlag, outputFlag } from './shared-flags.ts';

const FORMATS = ['table', 'json'] as const;

export const statusCommand: Command = {
  flags: [
    namespaceFlag('the namespace; else that of the context'),
    { name: 'all-namespaces', short: 'A', description: 'every namespace' },
    ...clusterFlags,
    outputFlag(FORMATS),
  ],
  details: [
    'ACTIVE is yes only when the newest generation, and no older one, is in force.',
    '',
    'Exit code: 0 when the policies could be listed, whatever their status; 1 when not.',
    '',
    'Example: agentplane status --all-namespaces',
  ].join('\n'),
  run,
};

async function run(flags: FlagValues, io: Io): Promise<number> {
  const format = flags.oneOf('output', FORMATS);
  const everywhere = flags.given('all-namespaces');
  if (everywhere && flags.given('namespace'))
    throw new UsageError('--namespace and --all-namespaces exclude each other');
  const { statuses, where } = await withCluster(flags, async (cluster) => {
    const namespace = flags.given('namespace') ? flags.text('namespace') : cluster.namespace;
    const policies = await cluster.list(EGRESS_POLICIES, everywhere ? {} : { namespace });
    return { statuses: policies.map(policyStatus), where: everywhere ? 'any namespace' : `namespace ${namespace}` };
  });
  if (format === 'json') io.print(renderStatusJson(statuses));
  else if (statuses.length === 0) io.note(`there is no EgressPolicy in ${where}`);
  else {
    const paint = { good: io.paint('green'), bad: io.paint('red'), warn: io.paint('yellow') };
    io.print(renderStatusTable(statuses, paint));
  }
  return 0;
}
