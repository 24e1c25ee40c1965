/**
 * Builds what the cluster is made of before any test waits for it: from nothing, that takes longer than a test may. It is up from
 * here on, for all files. Does nothing where no cluster can be had: the tests say so, and they can be counted
 * without one.
 */
import { openCache } from '../../scripts/clusters/cache.ts';
import { ensureCluster, prepareCluster, removeCluster } from '../../scripts/clusters/cluster.ts';
import { isHealthy } from '../../scripts/clusters/health.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { readClusterState } from '../../scripts/clusters/state.ts';
import { clusterSource } from '../support/cluster.ts';
import { reserveCluster } from '../support/reserve.ts';

const SHARED = 'cilium';

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const options = await clusterSource().catch(() => undefined);
  if (options === undefined) return undefined;
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  await prepareCluster(cache, progress, SHARED, options);
  const giveBack = await reserveCluster(progress, SHARED);
  const known = await readClusterState(cache, SHARED);
  const wasUp = known !== undefined && (await isHealthy(known));
  await ensureCluster(cache, progress, SHARED, options);
  await giveBack();
  if (wasUp || process.env.AGENTPLANE_KEEP === '1') return undefined;
  return async () => {
    const { workshop } = await prepareCluster(cache, progress, SHARED, options);
    const release = await reserveCluster(progress, SHARED);
    await removeCluster(workshop, SHARED);
    await release();
  };
}
