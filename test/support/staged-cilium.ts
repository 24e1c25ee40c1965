/** Stages what Cilium leaves to be seen. There are no nodes here: recognition is real, enforcement is not claimed. */
import { clientFor } from './client.ts';
import type { Kubectl } from './kubectl.ts';
import { type StagedCluster, stageCluster } from './staged-cluster.ts';
import type { StagedDaemonSet } from './staged-daemonset.ts';

export interface CiliumStage extends Pick<StagedDaemonSet, 'desired' | 'ready' | 'updated' | 'observed' | 'image'> {
  readonly version?: string;
  readonly config?: Readonly<Record<string, string>>;
}

export function ciliumCluster({ version = '1.20.2', config = {}, ...rest }: CiliumStage = {}): StagedCluster {
  const image = `quay.io/cilium/cilium:v${version}`;
  return {
    daemonSets: [{ name: 'cilium', container: 'cilium-agent', image, ...rest }],
    configMaps: { 'cilium-config': { 'enable-ipv6': 'false', ...config } },
  };
}

export async function stageCilium({ kubeconfigPath }: Kubectl, stage: CiliumStage = {}): Promise<void> {
  await staged(kubeconfigPath, ciliumCluster(stage));
}

export async function unstageCilium({ kubeconfigPath }: Kubectl): Promise<void> {
  await staged(kubeconfigPath, {});
}

async function staged(kubeconfigPath: string, cluster: StagedCluster): Promise<void> {
  const client = clientFor(kubeconfigPath);
  try {
    await stageCluster(client, cluster);
  } finally {
    await client.close();
  }
}
