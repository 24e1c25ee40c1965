import { access, constants } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { ensureBinaries } from '../../scripts/clusters/binaries.ts';
import { openCache } from '../../scripts/clusters/cache.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import type { ChartTools } from './support/tools.ts';

/**
 * Provides the tools. A path in the environment (`AGENTPLANE_HELM3` and its like) wins over the ones that the test clusters
 * are built with.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('chartTools', (await fromEnvironment()) ?? (await built()));
}

async function fromEnvironment(): Promise<ChartTools | undefined> {
  const {
    AGENTPLANE_HELM3: helm3,
    AGENTPLANE_HELM4: helm4,
    AGENTPLANE_CT: ct,
    AGENTPLANE_KUBECONFORM: kubeconform,
    AGENTPLANE_CRANE: crane,
    AGENTPLANE_REGISTRY: registry,
  } = process.env;
  if (helm3 === undefined || helm4 === undefined || ct === undefined || kubeconform === undefined) return undefined;
  if (crane === undefined || registry === undefined) return undefined;
  await Promise.all([helm3, helm4, ct, kubeconform, crane, registry].map((file) => access(file, constants.X_OK)));
  return { helm3, helm4, ct, kubeconform, crane, registry };
}

async function built(): Promise<ChartTools> {
  const cache = openCache(process.env);
  return ensureBinaries(cache, ['helm3', 'helm4', 'ct', 'kubeconform', 'crane', 'registry'], consoleProgress(cache));
}
