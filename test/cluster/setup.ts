/**
 * Builds what the clusters are made of before any test waits for one: from nothing, that takes longer than a test may. Does
 * nothing where no cluster can be had: the tests say so, and they can be counted without one.
 */

import { openCache } from '../../scripts/clusters/cache.ts';
import { prepareCluster } from '../../scripts/clusters/cluster.ts';
import { FLAVOUR_NAMES } from '../../scripts/clusters/flavours.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { clusterSource } from '../support/cluster.ts';

export async function setup(): Promise<void> {
  const cache = openCache(process.env);
  const options = await clusterSource().catch(() => undefined);
  if (options === undefined) return;
  for (const flavour of FLAVOUR_NAMES) await prepareCluster(cache, consoleProgress(cache), flavour, options);
}
