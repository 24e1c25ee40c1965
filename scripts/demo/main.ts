/** `npm run demo`: AgentPlane at work, on the best that this machine gives within about ten minutes. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { reserveCluster } from '../../test/support/reserve.ts';
import { type Cache, openCache } from '../clusters/cache.ts';
import { removeCluster } from '../clusters/cluster.ts';
import { findEngine } from '../clusters/engine.ts';
import { clusterOption, parseSource } from '../clusters/image-source.ts';
import { consoleProgress, type Progress } from '../clusters/progress.ts';
import { readClusterState } from '../clusters/state.ts';
import { removeTargets } from '../clusters/targets.ts';
import { ScriptError } from '../lib/errors.ts';
import { parseUsage } from '../lib/usage.ts';
import type { DemoContext, DemoResult } from './demo.ts';
import { demoEmbedded, removeEmbeddedDemo } from './embedded.ts';
import { demoOnClusters } from './on-clusters.ts';
import { heading } from './text.ts';

const HELP = `Usage: npm run demo [-- OPTIONS]

Shows AgentPlane at work: on kind clusters with real packets where one can be had within about ten minutes (public images can be
pulled, or a node image is cached), else on a real API server without nodes, which shows policies, statuses and refusals.

  --cluster               on kind clusters in any case: builds them from source where images cannot be pulled, which takes about
                          half an hour on two cores the first time (Debian, as root), and a minute or two after that
  --embedded              on an API server without nodes in any case
  --source public|source  pull public images, or build everything here; by default whatever this machine can do sooner
  --remove                removes everything that a demo has left, except what is cached
  --help                  this text`;

const LIMITS = `There are no nodes here: no pod runs and no packet is sent. What you see are real validation, real authority, and the real operator and
inventory; the network provider is staged by what it leaves to be seen (a DaemonSet with a status, its configuration, its API). To see packets
denied: npm run demo -- --cluster`;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseUsage(() =>
    parseArgs({
      args: [...args],
      options: {
        cluster: { type: 'boolean', default: false },
        embedded: { type: 'boolean', default: false },
        source: { type: 'string' },
        remove: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }),
  );
  if (values.help) return console.log(HELP);
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  if (values.remove) return remove(cache, progress);
  if (values.cluster && values.embedded) throw new ScriptError('BadUsage', 'choose --cluster or --embedded, not both');
  const context: DemoContext = { cache, progress, say: (text) => console.log(text) };
  const began = performance.now();
  const result = values.embedded
    ? await withoutNodes(context, 'as you asked')
    : await onBest(context, { cluster: values.cluster, source: values.source });
  farewell(result, Math.round((performance.now() - began) / 1000));
}

async function onBest(
  context: DemoContext,
  wish: { readonly cluster: boolean; readonly source: string | undefined },
): Promise<DemoResult> {
  const option = await context.progress.step('look at this machine', clusterOption);
  const wanted = parseSource(wish.source);
  if (!option.possible) {
    if (wish.cluster) throw new ScriptError('EngineMissing', `no cluster can be had here: ${option.why}`);
    return withoutNodes(context, option.why);
  }
  if (!option.quick && !wish.cluster) return withoutNodes(context, option.why);
  context.say(`Running on kind clusters: ${option.why}.`);
  return demoOnClusters(context, { source: wanted ?? option.source, install: wish.cluster });
}

function withoutNodes(context: DemoContext, why: string): Promise<DemoResult> {
  context.say(`Running on an API server without nodes: ${why}.\n\n${LIMITS}`);
  return demoEmbedded(context);
}

function farewell({ asExpected, kubeconfigPath, kubectlPath, next }: DemoResult, seconds: number): void {
  console.log(heading('Try next'));
  const folder = path.dirname(kubectlPath);
  const onPath = folder === '.' ? '' : ` PATH="${folder}:$PATH"`;
  console.log(`  export KUBECONFIG="${kubeconfigPath}"${onPath}`);
  for (const { command, shows } of next) console.log(`\n  # ${shows}\n  ${command}`);
  console.log('\n  # removes everything that was started\n  npm run demo -- --remove');
  if (!asExpected) throw new ScriptError('NotReady', 'not everything came out as expected: see the tables above');
  console.log(`\nEverything came out as expected, in ${seconds} seconds.`);
}

async function remove(cache: Cache, progress: Progress): Promise<void> {
  await progress.step('remove the control plane without nodes', () => removeEmbeddedDemo(cache));
  const engine = await findEngine();
  if (engine !== undefined) {
    for (const flavour of ['cilium', 'cilium-no-l7'] as const) {
      if ((await readClusterState(cache, flavour)) === undefined) continue;
      await reserveCluster(progress, flavour);
      await progress.step(`remove the cluster ${flavour}`, () => removeCluster({ cache, engine, progress }, flavour));
    }
    // They serve every cluster, and the demo uses no plain one: that is a test's.
    if ((await readClusterState(cache, 'plain')) === undefined) await removeTargets(engine);
  }
  console.log(`Removed. What was built is kept in ${cache.root}; npm run clusters -- clean removes that too.`);
}

// A reader such as head may close the pipe first; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ScriptError ? `error (${error.reason}): ${error.message}` : error);
  process.exitCode = 1;
}
