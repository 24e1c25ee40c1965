import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { run, succeeds, tryRun } from './exec.ts';
import { waitUntil } from './wait-for.ts';

test('output, input and exit code come through', async () => {
  expect(await run('cat', [], { input: 'hello' })).toBe('hello');
  expect(await tryRun('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({
    code: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
});

test('a command that must succeed says how it failed', async () => {
  const failure = run('sh', ['-c', 'echo no disk >&2; exit 7']);
  await expect(failure).rejects.toMatchObject({
    reason: 'CommandFailed',
    message: expect.stringMatching(/code 7: no disk/),
  });
});

test('a command that is not there has a reason of its own', async () => {
  await expect(tryRun('no-such-command', [])).rejects.toMatchObject({ reason: 'CommandMissing' });
  expect(await succeeds('no-such-command', [])).toBe(false);
  expect(await succeeds('true', [])).toBe(true);
});

test('a time limit also ends what the command has started', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'exec-'));
  const pidFile = path.join(folder, 'pid');
  const script = `sleep 60 & echo $! > ${pidFile}; wait`;
  await expect(tryRun('sh', ['-c', script], { timeoutMs: 500 })).rejects.toMatchObject({ reason: 'CommandTimedOut' });
  const pid = Number(await readFile(pidFile, 'utf8'));
  await waitUntil('the child to end', { timeoutMs: 30_000, intervalMs: 20 }, async () => !(await isRunning(pid)));
  await rm(folder, { recursive: true });
});

test('the log has the command and both streams', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'exec-'));
  const logPath = path.join(folder, 'log');
  await run('sh', ['-c', 'echo out; echo err >&2'], { logPath });
  const log = await readFile(logPath, 'utf8');
  for (const part of ['$ sh -c', 'out\n', 'err\n']) expect(log).toContain(part);
  await rm(folder, { recursive: true });
});

/** A process that nobody has collected yet still has an entry, in state Z. */
async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await tryRun('ps', ['-o', 'stat=', '-p', String(pid)]);
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}
