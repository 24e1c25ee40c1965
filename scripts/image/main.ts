/** Builds the AgentPlane image from the present sources and prints its reference. */
import { parseArgs } from 'node:util';
import { openCache } from '../clusters/cache.ts';
import { ensureEngine, prepareBuildHost } from '../clusters/engine.ts';
import { parseFlavour } from '../clusters/flavours.ts';
import { clusterOption, parseSource } from '../clusters/image-source.ts';
import { consoleProgress } from '../clusters/progress.ts';
import { readClusterState } from '../clusters/state.ts';
import { ScriptError } from '../lib/errors.ts';
import { parseUsage } from '../lib/usage.ts';
import { deliverAgentPlane, ensureAgentPlaneImage } from './image.ts';

const HELP = `Usage: npm run image -- [options]

Builds the AgentPlane image from the present sources, and prints its reference.

Options:
  --source public|source   on public base images, or on what is built here; by default whatever this machine can do sooner
  --load <flavour>         also load it into the running test cluster of that flavour
  -h, --help               this text`;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseUsage(() =>
    parseArgs({
      args: [...args],
      options: { source: { type: 'string' }, load: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }),
  );
  if (values.help) return console.log(HELP);
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  const engine = await ensureEngine(progress, true);
  const workshop = { cache, engine, progress };
  if (values.load !== undefined) {
    const cluster = await readClusterState(cache, parseFlavour(values.load));
    if (cluster === undefined) throw new ScriptError('NotReady', `${values.load} is not up: bring it up first`);
    console.log((await deliverAgentPlane(workshop, cluster)).reference);
    return;
  }
  const option = await clusterOption();
  const source = parseSource(values.source) ?? (option.possible ? option.source : 'public');
  if (source === 'source') await prepareBuildHost(progress);
  console.log((await ensureAgentPlaneImage(workshop, source)).reference);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ScriptError ? `error (${error.reason}): ${error.message}` : error);
  process.exitCode = 1;
}
