import { parseArgs } from 'node:util';
import { ScriptError } from '../lib/errors.ts';
import { parseUsage } from '../lib/usage.ts';
import { openCache } from './cache.ts';
import { COMMANDS, isCommand } from './commands.ts';
import { parseSource } from './image-source.ts';
import { consoleProgress } from './progress.ts';

const HELP = `Test clusters for AgentPlane.

  node scripts/clusters/main.ts up <flavour|embedded>         make sure that it runs; at once when it does
  node scripts/clusters/main.ts down [<flavour>|embedded|--all]  remove it; all of them without a name
  node scripts/clusters/main.ts status                        what runs, and what this machine could run
  node scripts/clusters/main.ts build [group]                 build and cache: embedded, chart, client, node, cilium, images or all
  node scripts/clusters/main.ts kubeconfig <flavour|embedded> print the path of its kubeconfig
  node scripts/clusters/main.ts clean                         down --all, then remove every image and file built here

Flavours: plain (enforces nothing), cilium (addresses, ports and names), cilium-no-l7 (addresses and ports only).
embedded is a control plane without nodes: no pods and no packets.

Options:
  --source public|source   pull public images, or build everything here; by default whatever this machine can do sooner
  --no-install             never install a container engine or build tools
  --all                    with down: every cluster
  --help                   this text

Environment:
  AGENTPLANE_CACHE         folder for everything that is built; default: agentplane in the XDG cache folder
`;

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseUsage(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        source: { type: 'string' },
        'no-install': { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  const [name = '', subject, ...rest] = positionals;
  if (values.help || name === 'help') return console.log(HELP);
  if (!isCommand(name) || rest.length > 0) {
    throw new ScriptError('BadUsage', `unknown command "${positionals.join(' ')}"\n\n${HELP}`);
  }
  const source = parseSource(values.source);
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  await COMMANDS[name]({ cache, progress, subject, source, install: !values['no-install'] });
}

// A reader such as head may close the pipe first; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ScriptError ? `error (${error.reason}): ${error.message}` : error);
  process.exitCode = 1;
}
