/**
 * Builds the AgentPlane image from the present sources and prints its reference.
 *
 *   node scripts/image/main.ts [--source public|source] [--load <flavour>]
 */
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

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseUsage(() =>
    parseArgs({ args: [...args], options: { source: { type: 'string' }, load: { type: 'string' } } }),
  );
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
