/** What network providers leave to be seen, staged as a whole: what is not named is not there. */
import { OBSERVED_CONFIG_MAPS, OBSERVED_DAEMON_SETS } from '../../src/compile/providers.ts';
import type { Client } from '../../src/kube/client.ts';
import { isKubeError } from '../../src/kube/errors.ts';
import type { Resource } from '../../src/kube/types.ts';
import type { StagedCrd } from './staged-crd.ts';
import { stageCrds } from './staged-crd.ts';
import { DAEMON_SETS, STAGED_NAMESPACE, type StagedDaemonSet, stageDaemonSet } from './staged-daemonset.ts';

export interface StagedCluster {
  readonly daemonSets?: readonly StagedDaemonSet[];
  /** The data of ConfigMaps by name. */
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly crds?: readonly StagedCrd[];
}

const CONFIG_MAPS: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };

/** Stages the cluster: only what is named, of all that the inventory looks for, exists afterwards. */
export async function stageCluster(client: Client, cluster: StagedCluster): Promise<void> {
  const { daemonSets = [], configMaps = {}, crds = [] } = cluster;
  await Promise.all([
    ...OBSERVED_DAEMON_SETS.filter((name) => daemonSets.every((item) => item.name !== name)).map((name) =>
      remove(client, DAEMON_SETS, name),
    ),
    ...OBSERVED_CONFIG_MAPS.filter((name) => configMaps[name] === undefined).map((name) =>
      remove(client, CONFIG_MAPS, name),
    ),
    ...daemonSets.map((item) => stageDaemonSet(client, item)),
    ...Object.entries(configMaps).map(([name, data]) => stageConfigMap(client, name, data)),
    stageCrds(client, crds),
  ]);
}

async function stageConfigMap(client: Client, name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name, namespace: STAGED_NAMESPACE };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  await client.apply(CONFIG_MAPS, configMap, { fieldManager: 'stage', force: true });
}

async function remove(client: Client, resource: Resource, name: string): Promise<void> {
  const ref = { name, namespace: STAGED_NAMESPACE };
  try {
    const { metadata } = await client.get(resource, ref);
    await client.delete(resource, ref, { uid: metadata.uid ?? '' });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}
