import { ensureBinaries } from '../../scripts/clusters/binaries.ts';
import { openCache } from '../../scripts/clusters/cache.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { type RunResult, run, tryRun } from '../../scripts/lib/exec.ts';

export type HelmVersion = 3 | 4;

/** A helm of one major version. Without a kubeconfig it can only render. */
export interface Helm {
  readonly path: string;
  run(...args: readonly string[]): Promise<string>;
  try(...args: readonly string[]): Promise<RunResult>;
}

/** Returns helm of that version, built first when the cache lacks it. */
export async function helmFor(version: HelmVersion, kubeconfigPath?: string): Promise<Helm> {
  const cache = openCache(process.env);
  const name = version === 3 ? 'helm3' : 'helm4';
  const { [name]: path } = await ensureBinaries(cache, [name], consoleProgress(cache));
  return helmAt(path, kubeconfigPath);
}

/** The helm program at the path. */
export function helmAt(path: string, kubeconfigPath?: string): Helm {
  // A cluster that happens to be in the caller's environment is never the one that a test means.
  const env = { KUBECONFIG: kubeconfigPath ?? '/dev/null' };
  return {
    path,
    run: (...args) => run(path, args, { env }),
    try: (...args) => tryRun(path, args, { env }),
  };
}
