/** Runs one test level, and reads its result from the machine-readable report of the test runner. */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tryRun } from '../lib/exec.ts';
import { REPOSITORY } from '../lib/repository.ts';

export const LEVELS = ['unit', 'api', 'chart', 'cluster'] as const;
export type Level = (typeof LEVELS)[number];

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

/** Shows the runner's own output as it comes. A level that broke before it could count is one failure at least. */
export async function runLevel(level: Level, env: Readonly<Record<string, string>>): Promise<Tally> {
  const file = path.join(tmpdir(), `agentplane-${process.pid}-${level}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const code = await inherit('vitest', ['run', '--project', level, ...reporters], env);
  const report = await readReport(file);
  await rm(file, { force: true });
  return tallyOf(report, code);
}

export function tallyOf(report: Report | undefined, code: number): Tally {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const broken = code !== 0 || !report.success;
  return {
    passed: report.numPassedTests,
    failed: broken ? Math.max(1, report.numFailedTests) : report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

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

function inherit(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn(command, args, {
    cwd: REPOSITORY,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? -1));
  });
}
