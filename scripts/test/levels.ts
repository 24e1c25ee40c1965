/** Runs one test level, and reads its result from the machine-readable report of the test runner. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { tryRun } from '../lib/exec.ts';
import { REPOSITORY } from '../lib/repository.ts';

export const LEVELS = ['unit', 'timing', 'api', 'rights', 'chart', 'cluster', 'flavours'] as const;
export type Level = (typeof LEVELS)[number];
/** Levels that need kind clusters. */
export const ON_CLUSTERS: readonly Level[] = ['cluster', 'flavours'];

/** The variable that names the folder in which levels hand over what their control planes recorded: see test/support/uses.ts. */
export const USES_FOLDER = 'AGENTPLANE_USES_FOLDER';
/** Environment variable: the levels that hand over in this run, with commas between them. */
export const USES_LEVELS = 'AGENTPLANE_USES_LEVELS';
/** Levels on control planes of their own, whose audit logs the level rights compares with what is granted. */
export const RECORDED: readonly Level[] = ['timing', 'api'];

/** Those named, all where none is. With what is recorded goes what compares it. @throws Error naming what is no level */
export function chooseLevels(names: readonly string[]): readonly Level[] {
  const unknown = names.find((name) => !(LEVELS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no test level: choose of ${LEVELS.join(', ')}`);
  const records = RECORDED.some((level) => names.includes(level));
  return LEVELS.filter((level) => names.length === 0 || names.includes(level) || (records && level === 'rights'));
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, a line each: the level's own output is thousands of lines up by the time of the last one. */
  readonly failures: readonly string[];
}

interface TestFileReport {
  readonly name: string;
  readonly status: string;
  /** Why the file could not be run, when it was not a test that failed. */
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages?: readonly string[] | null;
  }[];
}

interface Report {
  readonly testResults: readonly TestFileReport[];
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

/** Levels that run in turn. */
export interface Lane {
  readonly levels: readonly Level[];
  /** It computes and hardly waits: it takes what processor time the other lanes leave, and they take no notice of it. */
  readonly background?: boolean;
}

/** What runs when: stages in turn, lanes of a stage at once. timing has the machine to itself. rights comes after those that are recorded. */
export const STAGES: readonly (readonly Lane[])[] = [
  [{ levels: ['timing'] }],
  [{ levels: ['unit'], background: true }, { levels: ['api', 'rights'] }],
  [{ levels: ['chart'], background: true }, { levels: ['flavours'] }, { levels: ['cluster'] }],
];

export interface RunOptions {
  /** Where the runner's output goes: to this process's own as it comes, or in one piece once the level has ended. */
  readonly output: 'streamed' | 'whole';
  readonly background: boolean;
}

/** A level that broke before it could count is one failure at least. */
export async function runLevel(level: Level, options: RunOptions): Promise<Tally> {
  const file = path.join(tmpdir(), `agentplane-${process.pid}-${level}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await runVitest(['run', '--project', level, ...reporters], options);
  const report = await readReport(file);
  await rm(file, { force: true });
  return tallyOf(report, code);
}

export function tallyOf(report: Report | undefined, code: number): Tally {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0, failures: ['the test runner left no report'] };
  const broken = code !== 0 || !report.success;
  const failures = report.testResults.flatMap(failuresOf);
  return {
    failures: broken && failures.length === 0 ? [`the test runner ended with ${code}; see its output`] : failures,
    passed: report.numPassedTests,
    failed: broken ? Math.max(1, report.numFailedTests) : report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function failuresOf(file: TestFileReport): readonly string[] {
  const name = path.relative(REPOSITORY, file.name);
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return file.status === 'failed' ? [`${name}: ${firstLine(file.message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${name} > ${fullName}: ${firstLine(failureMessages?.[0])}`);
}

const firstLine = (text: string | undefined) =>
  stripVTControlCharacters((text ?? '').split('\n', 1)[0] ?? '') || 'no message';

/** How many tests a level has, without running any. Files are loaded for that: read as text, a table of cases counts as one. */
export async function countTests(level: Level): Promise<number> {
  const { stdout } = await tryRun('vitest', ['list', '--project', level, '--json', '--no-staticParse'], {
    cwd: REPOSITORY,
  });
  return (JSON.parse(stdout) as unknown[]).length;
}

async function readReport(file: string): Promise<Report | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Report);
}

/** API servers, etcd, Helm and kubectl spend a quarter less processor time when they collect garbage less often. */
const GOGC = process.env.GOGC ?? '400';

/** Low enough to be left out while others want the processors, and not so low that a test of a few seconds waits for a minute. */
const BACKGROUND_PRIORITY = 10;

async function runVitest(args: readonly string[], { output, background }: RunOptions): Promise<number> {
  const to = output === 'streamed' ? 'inherit' : 'pipe';
  const child = spawn('vitest', args, {
    cwd: REPOSITORY,
    env: { ...process.env, GOGC },
    stdio: ['ignore', to, to],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (ended) => resolve(ended ?? -1));
    // Before it has any process of its own, which take over its priority.
    if (background && child.pid !== undefined) setPriority(child.pid, BACKGROUND_PRIORITY);
  });
  process.stdout.write(Buffer.concat(chunks));
  return code;
}
