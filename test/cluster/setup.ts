/**
 * Builds what the cluster is made of before any test waits for it: from nothing, that takes longer than a test may. It is up from
 * here on, for all files. Does nothing where no cluster can be had: the tests say so, and they can be counted
 * without one.
 */
import { openCache } from '../../scripts/clusters/cache.ts';
import { prepareCluster } from '../../scripts/clusters/cluster.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { clusterSource } from '../support/cluster.ts';
import { shareCluster } from '../support/shared-cluster.ts';

const SHARED = 'cilium';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const options = await clusterSource().catch(() => undefined);
  if (options === undefined) return undefined;
  const cache = openCache(process.env);
  await prepareCluster(cache, consoleProgress(cache), SHARED, options);
  return shareCluster(SHARED, options);
}
