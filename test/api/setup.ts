/**
 * One control plane for all files of this level: etcd, API server and controller manager, as real processes. Whatever is built
 * or fetched comes first: it has no place in the time limit of a test.
 */
import type { TestProject } from 'vitest/node';
import { BINARY_GROUPS, ensureBinaries } from '../../scripts/clusters/binaries.ts';
import { openCache } from '../../scripts/clusters/cache.ts';
import { ciliumSource } from '../../scripts/clusters/cilium-image.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { provideEmbedded } from '../support/embedded.ts';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensureBinaries(openCache(process.env), BINARY_GROUPS.api, consoleProgress(openCache(process.env)));
  await ciliumSource();
  return provideEmbedded(project);
}
