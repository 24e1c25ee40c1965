/** A cluster that is up for all files of a level. */
import { openCache } from '../../scripts/clusters/cache.ts';
import { ensureCluster, prepareCluster, removeCluster, type UpOptions } from '../../scripts/clusters/cluster.ts';
import type { FlavourName } from '../../scripts/clusters/flavours.ts';
import { isHealthy } from '../../scripts/clusters/health.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { readClusterState } from '../../scripts/clusters/state.ts';
import { reserveCluster } from './reserve.ts';

/** Returns what removes it, unless it was there before. */
export async function shareCluster(
  flavour: FlavourName,
  options: UpOptions,
): Promise<(() => Promise<void>) | undefined> {
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  const giveBack = await reserveCluster(progress, flavour);
  const known = await readClusterState(cache, flavour);
  const wasUp = known !== undefined && (await isHealthy(known));
  await ensureCluster(cache, progress, flavour, options);
  await giveBack();
  if (wasUp || process.env.AGENTPLANE_KEEP === '1') return undefined;
  return async () => {
    const { workshop } = await prepareCluster(cache, progress, flavour, options);
    const release = await reserveCluster(progress, flavour);
    await removeCluster(workshop, flavour);
    await release();
  };
}
