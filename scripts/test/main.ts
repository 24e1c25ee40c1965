/**
 * `npm test`: every level that this machine can run in reasonable time. With AGENTPLANE_REQUIRE_CLUSTER=1 what is missing is built
 * first, and nothing is skipped. The last line is the result.
 */
import { clusterOption } from '../clusters/image-source.ts';
import { countTests, LEVELS, type Level, runLevel, type Tally } from './levels.ts';

const HELP = `Usage: npm test [-- LEVEL...]

Runs the test levels ${LEVELS.join(', ')}, or those named. cluster runs where a kind cluster can be had in reasonable time: public
images can be pulled, or a node image is cached. AGENTPLANE_REQUIRE_CLUSTER=1 builds what is missing and skips nothing.`;

async function whyNoCluster(): Promise<string | undefined> {
  if (process.env.AGENTPLANE_REQUIRE_CLUSTER === '1') return undefined;
  const option = await clusterOption();
  return option.possible && option.quick ? undefined : option.why;
}

function parseLevels(args: readonly string[]): readonly Level[] {
  const unknown = args.find((arg) => !(LEVELS as readonly string[]).includes(arg));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no test level: choose of ${LEVELS.join(', ')}`);
  return args.length === 0 ? LEVELS : LEVELS.filter((level) => args.includes(level));
}

async function runAll(levels: readonly Level[]): Promise<{ readonly tally: Tally; readonly note: string }> {
  let tally: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] };
  let note = '';
  for (const level of levels) {
    const startedAt = performance.now();
    const why = level === 'cluster' ? await whyNoCluster() : undefined;
    const result =
      why === undefined
        ? await runLevel(level, {})
        : { passed: 0, failed: 0, skipped: await countTests(level), failures: [] };
    if (why !== undefined) note = ` (the cluster level: ${why}; AGENTPLANE_REQUIRE_CLUSTER=1 npm test runs it)`;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.log(
      `== ${level}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped in ${seconds} s\n`,
    );
    tally = {
      passed: tally.passed + result.passed,
      failed: tally.failed + result.failed,
      skipped: tally.skipped + result.skipped,
      failures: [...tally.failures, ...result.failures],
    };
  }
  return { tally, note };
}

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(HELP);
} else {
  const { tally, note } = await runAll(parseLevels(args));
  for (const failure of tally.failures) console.log(`failed: ${failure}`);
  console.log(`agentplane: ${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped${note}`);
  process.exitCode = tally.failed === 0 && tally.passed > 0 ? 0 : 1;
}
