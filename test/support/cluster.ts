import { openCache } from '../../scripts/clusters/cache.ts';
import { ensureCluster, removeCluster, type UpOptions } from '../../scripts/clusters/cluster.ts';
import { ensureEngine } from '../../scripts/clusters/engine.ts';
import type { FlavourName } from '../../scripts/clusters/flavours.ts';
import { isHealthy } from '../../scripts/clusters/health.ts';
import { clusterOption } from '../../scripts/clusters/image-source.ts';
import type { Workshop } from '../../scripts/clusters/images.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import { type ClusterState, readClusterState } from '../../scripts/clusters/state.ts';
import { type Helm, helmAt } from './helm.ts';
import { type Kubectl, kubectlFor } from './kubectl.ts';
import { reserveCluster } from './reserve.ts';

export interface TestCluster extends ClusterState {
  readonly kubectl: Kubectl;
  readonly helmClient: Helm;
  readonly workshop: Workshop;
  /** Whether it was there before it was asked for: whoever brought it up may still need it. */
  readonly wasUp: boolean;
  /** Removes the cluster; images and binaries stay in the cache. */
  remove(): Promise<void>;
  /** Lets others use the cluster. */
  giveBack(): Promise<void>;
}

/**
 * Where the parts of the clusters come from. Installs and builds what is missing only with `AGENTPLANE_REQUIRE_CLUSTER=1`; throws
 * otherwise when that would be needed.
 */
export async function clusterSource(): Promise<UpOptions> {
  const required = process.env.AGENTPLANE_REQUIRE_CLUSTER === '1';
  const option = await clusterOption();
  if (!option.possible) throw new Error(option.why);
  if (!option.quick && !required) throw new Error(`${option.why}: set AGENTPLANE_REQUIRE_CLUSTER=1 to have it done`);
  return { source: option.source, install: required };
}

/** The running cluster of the flavour, brought up when it is not, and reserved until it is given back. */
export async function testCluster(flavour: FlavourName): Promise<TestCluster> {
  const options = await clusterSource();
  const cache = openCache(process.env);
  const progress = consoleProgress(cache);
  const giveBack = await reserveCluster(progress, flavour);
  const known = await readClusterState(cache, flavour);
  const wasUp = known !== undefined && (await isHealthy(known));
  const state = await ensureCluster(cache, progress, flavour, options);
  const workshop = { cache, progress, engine: await ensureEngine(progress, false) };
  return {
    ...state,
    kubectl: kubectlFor(state.tools.kubectl, state.kubeconfigPath),
    helmClient: helmAt(state.tools.helm, state.kubeconfigPath),
    workshop,
    wasUp,
    remove: () => removeCluster(workshop, flavour),
    giveBack,
  };
}
