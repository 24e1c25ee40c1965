import { openCache } from '../../scripts/clusters/cache.ts';
import { ensureCluster } from '../../scripts/clusters/cluster.ts';
import type { FlavourName } from '../../scripts/clusters/flavours.ts';
import { clusterOption } from '../../scripts/clusters/image-source.ts';
import { consoleProgress } from '../../scripts/clusters/progress.ts';
import type { ClusterState } from '../../scripts/clusters/state.ts';
import { type Kubectl, kubectlFor } from './kubectl.ts';

export interface TestCluster extends ClusterState {
  readonly kubectl: Kubectl;
}

/**
 * The running cluster of the flavour, brought up when it is not. Installs and builds what is missing only with
 * `AGENTPLANE_REQUIRE_CLUSTER=1`; throws otherwise when that would be needed.
 */
export async function testCluster(flavour: FlavourName): Promise<TestCluster> {
  const required = process.env.AGENTPLANE_REQUIRE_CLUSTER === '1';
  const option = await clusterOption();
  if (!option.possible) throw new Error(option.why);
  if (!option.quick && !required) throw new Error(`${option.why}: set AGENTPLANE_REQUIRE_CLUSTER=1 to have it done`);
  const cache = openCache(process.env);
  const state = await ensureCluster(cache, consoleProgress(cache), flavour, {
    source: option.source,
    install: required,
  });
  return { ...state, kubectl: kubectlFor(state.tools.kubectl, state.kubeconfigPath) };
}
