/**
 * `npm test`: every level that this machine can run in reasonable time. With AGENTPLANE_REQUIRE_CLUSTER=1 what is missing is built
 * first, and nothing is skipped. The last line is the result.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clusterOption } from '../clusters/image-source.ts';
import {
  chooseLevels,
  countTests,
  type Lane,
  LEVELS,
  type Level,
  ON_CLUSTERS,
  RECORDED,
  type RunOptions,
  runLevel,
  STAGES,
  type Tally,
  USES_FOLDER,
  USES_LEVELS,
} from './levels.ts';

const HELP = `Usage: npm test [-- LEVEL...]

Runs the test levels ${LEVELS.join(', ')}, or those named. ${ON_CLUSTERS.join(' and ')} run where a kind cluster can be had in reasonable time: public
images can be pulled, or a node image is cached. AGENTPLANE_REQUIRE_CLUSTER=1 builds what is missing and skips nothing.
rights compares what ${RECORDED.join(' and ')} have recorded, and runs with either.`;

async function whyNoCluster(): Promise<string | undefined> {
  if (process.env.AGENTPLANE_REQUIRE_CLUSTER === '1') return undefined;
  const option = await clusterOption();
  return option.possible && option.quick ? undefined : option.why;
}

const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] };

function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (total, each) => ({
      passed: total.passed + each.passed,
      failed: total.failed + each.failed,
      skipped: total.skipped + each.skipped,
      failures: [...total.failures, ...each.failures],
    }),
    NOTHING,
  );
}

/** The levels hand over in a folder what their control planes have recorded. */
async function runRecorded(levels: readonly Level[]): Promise<readonly Tally[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agentplane-uses-'));
  process.env[USES_FOLDER] = folder;
  process.env[USES_LEVELS] = RECORDED.filter((level) => levels.includes(level)).join(',');
  try {
    return await runAll(levels);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runAll(levels: readonly Level[]): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (const stage of STAGES) {
    const lanes = stage
      .map((lane) => ({ ...lane, levels: lane.levels.filter((level) => levels.includes(level)) }))
      .filter((lane) => lane.levels.length > 0);
    const beside = lanes.slice(0, -1).flatMap((lane) => lane.levels);
    if (beside.length > 0)
      console.log(`== ${beside.join(', ')}: beside the rest; the output comes when each has ended\n`);
    const run = (lane: Lane, i: number) => runLane(lane, i === lanes.length - 1 ? 'streamed' : 'whole');
    tallies.push(...(await Promise.all(lanes.map(run))).flat());
  }
  return tallies;
}

async function runLane({ levels, background = false }: Lane, output: RunOptions['output']): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (const level of levels) {
    const startedAt = performance.now();
    tallies.push(report(level, await runLevel(level, { output, background }), startedAt));
  }
  return tallies;
}

/** Levels that this machine cannot run: their tests are counted, and no more. */
async function countAll(levels: readonly Level[]): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (const level of levels) {
    const startedAt = performance.now();
    tallies.push(report(level, { ...NOTHING, skipped: await countTests(level) }, startedAt));
  }
  return tallies;
}

function report(level: Level, tally: Tally, startedAt: number): Tally {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const { passed, failed, skipped } = tally;
  console.log(`== ${level}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s\n`);
  return tally;
}

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(HELP);
} else {
  const levels = chooseLevels(args);
  const onClusters = levels.filter((level) => ON_CLUSTERS.includes(level));
  const why = onClusters.length > 0 ? await whyNoCluster() : undefined;
  const skipped = why === undefined ? [] : onClusters;
  const run = await runRecorded(levels.filter((level) => !skipped.includes(level)));
  const { failures, ...tally } = sum([...run, ...(await countAll(skipped))]);
  for (const failure of failures) console.log(`failed: ${failure}`);
  const note =
    why === undefined ? '' : ` (${skipped.join(', ')}: ${why}; AGENTPLANE_REQUIRE_CLUSTER=1 npm test runs it)`;
  console.log(`agentplane: ${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped${note}`);
  process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
}
