/** The operator and the inventory as processes of this machine that outlive the demo, and can be found again to be ended. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tryRun } from '../lib/exec.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { type Look, waitFor, waitUntil } from '../lib/wait-for.ts';

interface LocalProcess {
  readonly pid: number;
  /** Start time and command line as ps tells them: a process id alone may belong to somebody else by now. */
  readonly identity: string;
}

export interface LocalCommand {
  readonly command: 'operator' | 'inventory';
  readonly flags: readonly string[];
  readonly kubeconfigPath: string;
}

/** Starts the command of the product and returns when it is ready. Its log is `<folder>/<command>.log`. */
export async function startLocal(folder: string, { command, flags, kubeconfigPath }: LocalCommand): Promise<void> {
  await mkdir(folder, { recursive: true });
  const logPath = path.join(folder, `${command}.log`);
  await rm(logPath, { force: true });
  const log = openSync(logPath, 'a');
  const ports = ['--metrics-port', '0', '--health-port', '0'];
  const args = [path.join(REPOSITORY, 'src/main.ts'), command, ...flags, ...ports];
  const env = { PATH: process.env.PATH, KUBECONFIG: kubeconfigPath };
  const child = spawn(process.execPath, args, { env, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  const pid = child.pid ?? 0;
  await writeFile(stateFile(folder, command), JSON.stringify({ pid, identity: await identityOf(pid) }));
  await waitFor(`${command} to be ready (log: ${logPath})`, { timeoutMs: 60_000 }, () => readiness(logPath));
}

/** Ends the command that was started in the folder, if it still runs. */
export async function stopLocal(folder: string, command: LocalCommand['command']): Promise<void> {
  const file = stateFile(folder, command);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const { pid, identity } = JSON.parse(text) as LocalProcess;
  const runs = async () => identity !== '' && (await identityOf(pid)) === identity;
  if (await runs()) {
    process.kill(pid, 'SIGTERM');
    await waitUntil(`${command} to end`, { timeoutMs: 30_000 }, async () => !(await runs()));
  }
  await rm(file);
}

function stateFile(folder: string, command: LocalCommand['command']): string {
  return path.join(folder, `${command}.json`);
}

async function identityOf(pid: number): Promise<string> {
  return (await tryRun('ps', ['-ww', '-o', 'lstart=,args=', '-p', String(pid)])).stdout.trim();
}

async function readiness(logPath: string): Promise<Look<undefined>> {
  const log = await readFile(logPath, 'utf8');
  const port = /"healthPort":([0-9]+)/.exec(log)?.[1];
  if (port === undefined) return { done: false, saw: log.slice(-1000) };
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return answer.status === 200 ? { done: true, value: undefined } : { done: false, saw: await answer.text() };
}
