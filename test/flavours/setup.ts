/**
 * Builds what these clusters are made of before any test waits for one: from nothing, that takes longer than a test may. The one that two
 * files use is up from here on. Does nothing where no cluster can be had: the tests say so, and they can be counted without one.
 */
import { openCache } from '../../scripts/clusters/cache.ts';
import { prepareCluster } from '../../scripts/clusters/cluster.ts';
import type { FlavourName } from '../../scripts/clusters/flavours.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { clusterSource } from '../support/cluster.ts';
import { shareCluster } from '../support/shared-cluster.ts';

const SHARED: FlavourName = 'cilium-no-l7';
const OWN: readonly FlavourName[] = ['plain', SHARED];

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const options = await clusterSource().catch(() => undefined);
  if (options === undefined) return undefined;
  const cache = openCache(process.env);
  for (const flavour of OWN) await prepareCluster(cache, consoleProgress(cache), flavour, options);
  return shareCluster(SHARED, options);
}
