/** The command line as its users run it: the bundle, as a process of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '../../scripts/image/bundle.ts';
import { type RunResult, tryRun } from '../../scripts/lib/exec.ts';

export interface Cli {
  /** An empty folder for the inputs of a test file. */
  readonly folder: string;
  /** Paths in `args` are below the folder, unless `cwd` is given. */
  run(args: readonly string[], options?: CliOptions): Promise<RunResult>;
  remove(): Promise<void>;
}

export interface CliOptions {
  /** Standard input. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export async function buildCli(): Promise<Cli> {
  const root = await mkdtemp(path.join(tmpdir(), 'agentplane-cli-'));
  const folder = await mkdtemp(path.join(root, 'input-'));
  const main = path.join(root, 'agentplane.mjs');
  await writeFile(main, (await bundle()).code);
  return {
    folder,
    run: (args, { input, env, cwd = folder } = {}) =>
      tryRun(process.execPath, [main, ...args], {
        cwd,
        env: { NO_COLOR: undefined, FORCE_COLOR: undefined, KUBECONFIG: undefined, ...env },
        ...(input === undefined ? {} : { input }),
      }),
    remove: () => rm(root, { recursive: true }),
  };
}
