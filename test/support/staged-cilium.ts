/** Stages what a network provider leaves to be seen. There are no nodes here: recognition is real, enforcement is not claimed. */
import type { Kubectl } from './kubectl.ts';

export interface CiliumStage {
  readonly version?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly desired?: number;
  readonly ready?: number;
}

const SELECTOR = { 'k8s-app': 'cilium' };

export async function stageCilium(kubectl: Kubectl, stage: CiliumStage = {}): Promise<void> {
  const { version = '1.20.2', config = {}, desired = 1, ready = 1 } = stage;
  const metadata = { name: 'cilium', namespace: 'kube-system' };
  const containers = [{ name: 'cilium-agent', image: `quay.io/cilium/cilium:v${version}` }];
  await kubectl.apply(
    [
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata,
        spec: {
          selector: { matchLabels: SELECTOR },
          template: { metadata: { labels: SELECTOR }, spec: { containers } },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cilium-config', namespace: 'kube-system' },
        data: { 'enable-ipv6': 'false', ...config },
      },
    ],
    '--force-conflicts',
  );
  const live = await kubectl.get<{ metadata: { generation: number } }>('daemonset', '-n', 'kube-system', 'cilium');
  const status = {
    currentNumberScheduled: desired,
    desiredNumberScheduled: desired,
    numberMisscheduled: 0,
    numberReady: ready,
    observedGeneration: live?.metadata.generation ?? 0,
  };
  await kubectl.run(
    'patch',
    'daemonset',
    '-n',
    'kube-system',
    'cilium',
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  );
}

export async function unstageCilium(kubectl: Kubectl): Promise<void> {
  await kubectl.run('delete', '-n', 'kube-system', 'daemonset/cilium', 'configmap/cilium-config', '--ignore-not-found');
}
