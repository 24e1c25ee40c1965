import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { BINARY_GROUPS, ensureBinaries } from '../../scripts/clusters/binaries.ts';
import { type Cache, openCache } from '../../scripts/clusters/cache.ts';
import { startEmbedded } from '../../scripts/clusters/embedded/control-plane.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { bundle } from '../../scripts/image/bundle.ts';
import type { ProvidedEmbedded } from './control-plane.ts';
import { handOver } from './uses.ts';

/**
 * For a vitest `globalSetup`: one control plane for each worker of the project, built first when the cache lacks it.
 * Returns the teardown, which hands over who asked them for what (`uses.ts`). With `AGENTPLANE_KEEP=1` data and logs stay.
 */
export async function provideEmbedded(project: TestProject): Promise<() => Promise<void>> {
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  const binaries = await ensureBinaries(cache, BINARY_GROUPS.embedded, progress);
  await removeAbandoned(cache);
  const run = path.join(runsFolder(cache), `run-${process.pid}`);
  const folders = Array.from({ length: project.config.maxWorkers }, (_, worker) =>
    path.join(run, `worker-${worker + 1}`),
  );
  const planes = await Promise.all(folders.map((folder) => startEmbedded({ folder, binaries, lifetime: 'parent' })));
  const provided = planes.map(
    ({ url, kubeconfigPath, auditLogPath }, worker): ProvidedEmbedded => ({
      folder: folders[worker] as string,
      url,
      kubeconfigPath,
      auditLogPath,
      kubectl: binaries.kubectl,
    }),
  );
  project.provide('controlPlanes', provided);
  project.provide('program', await writeProgram(run));
  return async () => {
    await Promise.all(planes.map((plane) => plane.stop()));
    await handOver(
      project.name,
      planes.map(({ auditLogPath }) => auditLogPath),
    );
    if (process.env.AGENTPLANE_KEEP !== '1') await rm(run, { recursive: true, force: true });
  };
}

async function writeProgram(folder: string): Promise<string> {
  const file = path.join(folder, 'agentplane.mjs');
  await writeFile(file, (await bundle()).code);
  return file;
}

function runsFolder(cache: Cache): string {
  return path.join(cache.root, 'embedded');
}

/** A run that was killed leaves its folder; its process id says whether it is still going on. */
async function removeAbandoned(cache: Cache): Promise<void> {
  const names = await readdir(runsFolder(cache)).catch(() => []);
  for (const name of names) {
    const pid = Number(/^run-(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) await rm(path.join(runsFolder(cache), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
