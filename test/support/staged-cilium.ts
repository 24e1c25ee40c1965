/** Stages what a network provider leaves to be seen. There are no nodes here: recognition is real, enforcement is not claimed. */
import type { Kubectl } from './kubectl.ts';
import { stageDaemonSet } from './staged-daemonset.ts';

export interface CiliumStage {
  readonly version?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly desired?: number;
  readonly ready?: number;
}

export async function stageCilium(kubectl: Kubectl, stage: CiliumStage = {}): Promise<void> {
  const { version = '1.20.2', config = {}, desired = 1, ready = 1 } = stage;
  const metadata = { name: 'cilium-config', namespace: 'kube-system' };
  const data = { 'enable-ipv6': 'false', ...config };
  await kubectl.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }], '--force-conflicts');
  const image = `quay.io/cilium/cilium:v${version}`;
  await stageDaemonSet(kubectl, { name: 'cilium', container: 'cilium-agent', image, desired, ready });
}

export async function unstageCilium(kubectl: Kubectl): Promise<void> {
  await kubectl.run('delete', '-n', 'kube-system', 'daemonset/cilium', 'configmap/cilium-config', '--ignore-not-found');
}
