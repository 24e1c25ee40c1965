/**
 * Builds what these clusters are made of before any test waits for one: from nothing, that takes longer than a test may. Each file
 * brings up its own. Does nothing where no cluster can be had: the tests say so, and they can be counted without one.
 */
import { openCache } from '../../scripts/clusters/cache.ts';
import { prepareCluster } from '../../scripts/clusters/cluster.ts';
import type { FlavourName } from '../../scripts/clusters/flavours.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { clusterSource } from '../support/cluster.ts';

const OWN: readonly FlavourName[] = ['plain', 'cilium-no-l7'];

export async function setup(): Promise<void> {
  const options = await clusterSource().catch(() => undefined);
  if (options === undefined) return;
  const cache = openCache(process.env);
  for (const flavour of OWN) await prepareCluster(cache, consoleProgress(cache), flavour, options);
}
