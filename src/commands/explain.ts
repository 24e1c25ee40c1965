/** `agentplane explain`: what policies would generate, or why they would be refused. Needs no cluster. */

import { describeRefusals } from '../explain/describe.ts';
import { type Explained, explain } from '../explain/explain.ts';
import { renderJson, renderTable, renderYaml } from '../explain/render.ts';
import { type Command, EXIT_FOUND } from './command.ts';
import { factsFlags, givenOrAssumedFacts } from './facts.ts';
import type { FlagValues } from './flags.ts';
import { sortedInput } from './input.ts';
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
  const sorted = await sortedInput(flags.all('filename'), flags.text('namespace'), io);
  const facts = await givenOrAssumedFacts(flags, io);
  const explained = explain(sorted, { facts, limits, now: io.now() });
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
