import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../lib/wait-for.ts';
import { createProgress, type Progress } from './progress.ts';

let logFolder: string;
let lines: string[];
let clock: number;
let progress: Progress;

beforeEach(async () => {
  logFolder = await mkdtemp(path.join(tmpdir(), 'progress-'));
  lines = [];
  clock = 0;
  progress = createProgress({ logFolder, write: (line) => lines.push(line), now: () => clock, heartbeatMs: 10 });
});
afterEach(() => rm(logFolder, { recursive: true }));

test('says when a step begins, and its seconds when it ends', async () => {
  await progress.step('build x', async () => {
    clock = 2500;
  });
  expect(lines).toEqual(['==> build x', '    build x: 2.5s']);
});

test('a long step shows that it lives, with the last line of its log but not with the command itself', async () => {
  await progress.step('build x', async ({ logPath }) => {
    await appendFile(logPath, '$ make everything\n');
    await waitUntil(
      'a bare heartbeat',
      { timeoutMs: 30_000, intervalMs: 5 },
      async () => lines.at(-1) === '    ... build x, 0.0s',
    );
    await appendFile(logPath, 'linking\n');
    await waitUntil(
      'a heartbeat',
      { timeoutMs: 30_000, intervalMs: 5 },
      async () => lines.at(-1)?.endsWith('| linking') ?? false,
    );
  });
});

test('a failure passes through the steps around it and keeps naming the innermost', async () => {
  const nested = progress.step('outer', () =>
    progress.step('inner', async ({ logPath }) => {
      await appendFile(logPath, 'undefined symbol\n');
      throw new Error('exit code 2');
    }),
  );
  const failure = await nested.catch((error: Error) => error);
  expect(failure).toMatchObject({ reason: 'StepFailed', cause: new Error('exit code 2') });
  expect((failure as Error).message.split('\n')).toEqual([
    'step "inner" failed after 0.0s: exit code 2',
    `  log: ${path.join(logFolder, 'inner.log')}`,
    '  its last lines:',
    '    | undefined symbol',
  ]);
});
