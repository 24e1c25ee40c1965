/** Runs a command of the product as a process of its own, as it would run in a pod. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { inject } from 'vitest';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';

export interface Running {
  readonly child: ChildProcess;
  /** Every line that it has logged. */
  readonly logs: () => string;
  readonly healthPort: number;
  readonly metricsPort: number;
  /** The exit code, once it has ended; 128 after a signal. */
  readonly exited: Promise<number>;
  /** Ends it gracefully and returns the exit code. */
  stop(): Promise<number>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the command and waits until it reports itself ready. */
export async function startCommand(command: string, flags: readonly string[], kubeconfig: string): Promise<Running> {
  const running = await launchCommand(command, flags, kubeconfig);
  await waitFor(`${command} to be ready`, { timeoutMs: 30_000, intervalMs: 50 }, async () => {
    if ((await fetch(`http://127.0.0.1:${running.healthPort}/readyz`)).status === 200) {
      return { done: true, value: undefined };
    }
    return { done: false, saw: running.logs().slice(-2000) };
  });
  return running;
}

export interface LaunchOptions {
  /** Runs in the process before the command does. */
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the command, and does not wait until it is ready: it may never be, without an API server. */
export async function launchCommand(
  command: string,
  flags: readonly string[],
  kubeconfig: string,
  { preload, env = {} }: LaunchOptions = {},
): Promise<Running> {
  const imports = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...imports, inject('program'), command, ...flags], {
    env: {
      ...env,
      PATH: process.env.PATH,
      KUBECONFIG: kubeconfig,
      // Most of a start is compilation, and tests start a command hundreds of times.
      NODE_COMPILE_CACHE: path.join(path.dirname(kubeconfig), 'compile-cache'),
    },
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const exited = new Promise<number>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? -1 : 128))),
  );
  const port = await startedPort(child, () => output);
  return {
    child,
    logs: () => output,
    healthPort: port,
    exited,
    metricsPort: Number(/"metricsPort":([0-9]+)/.exec(output)?.[1] ?? 0),
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
}

async function startedPort(child: ChildProcess, output: () => string): Promise<number> {
  let port = 0;
  await waitUntil(`the process to start: ${output()}`, { timeoutMs: 20_000, intervalMs: 20 }, async () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output()}`);
    port = Number(/"healthPort":([0-9]+)/.exec(output())?.[1] ?? 0);
    return port > 0;
  });
  return port;
}
