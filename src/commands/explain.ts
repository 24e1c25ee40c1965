/** `agentplane explain`: what policies would generate, or why they would be refused. Needs no cluster. */

import { describeRefusals } from '../explain/describe.ts';
import { type Explained, explain } from '../explain/explain.ts';
import { type Sorted, sortManifests } from '../explain/input.ts';
import { renderJson, renderTable, renderYaml } from '../explain/render.ts';
import { InputError } from '../manifests/manifest.ts';
import { readManifests } from '../manifests/read.ts';
import { type Command, EXIT_FOUND } from './command.ts';
import { factsFlags, givenOrAssumedFacts } from './facts.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { fileFlag, limitFlags, limitsOf, namespaceFlag, outputFlag } from './shared-flags.ts';

const FORMATS = ['table', 'yaml', 'json'] as const;

export const explainCommand: Command = {
  flags: [
    fileFlag,
    ...factsFlags,
    ...limitFlags,
    namespaceFlag('the namespace of objects that name none', 'default'),
    outputFlag(FORMATS),
  ],
  details: [
    'Exit code: 0 when everything is accepted, 2 when an object is refused, 1 when the input cannot be used.',
    '',
    'Example: agentplane explain -f examples --provider networkpolicy',
  ].join('\n'),
  run,
};

async function run(flags: FlagValues, io: Io): Promise<number> {
  const format = flags.oneOf('output', FORMATS);
  const limits = limitsOf(flags);
  const sorted = await sortedInput(flags, io);
  const facts = await givenOrAssumedFacts(flags, io);
  const explained = explain(sorted, { facts, limits });
  switch (format) {
    case 'table':
      io.print(renderTable(explained, { good: io.paint('green'), bad: io.paint('red') }));
      break;
    case 'yaml':
      printYaml(explained, io);
      break;
    case 'json':
      io.print(renderJson(explained, { facts, skipped: sorted.skipped }));
      break;
  }
  return explained.every(({ refusals }) => refusals.length === 0) ? 0 : EXIT_FOUND;
}

/** Objects that can be read by the next program; what is refused is told beside them. */
function printYaml(explained: readonly Explained[], io: Io): void {
  const text = renderYaml(explained);
  if (text !== '') io.print(text.trimEnd());
  for (const item of explained) if (item.refusals.length > 0) io.note(describeRefusals(item));
}

/** Nothing to judge is no success: most often the wrong files were named. */
export async function sortedInput(flags: FlagValues, io: Io): Promise<Sorted> {
  const files = flags.all('filename');
  const sorted = sortManifests(await readManifests(files, io.stdin), flags.text('namespace'));
  if (sorted.problems.length > 0) throw new InputError(sorted.problems);
  if (sorted.skipped.size > 0) {
    const kinds = [...sorted.skipped].map(([kind, count]) => `${count} ${kind}`).join(', ');
    io.note(`skipped what is not an EgressPolicy or RuntimeProfile: ${kinds}`);
  }
  if (sorted.policies.length + sorted.profiles.length === 0) {
    throw new InputError([{ file: files.join(', '), message: 'holds no EgressPolicy and no RuntimeProfile' }]);
  }
  return sorted;
}
