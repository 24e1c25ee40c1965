/** A DaemonSet with the status that a controller would give it, on a control plane without nodes. */
import type { Kubectl } from './kubectl.ts';

export interface StagedDaemonSet {
  readonly name: string;
  readonly container: string;
  readonly image: string;
  readonly desired: number;
  readonly ready: number;
}

const NAMESPACE = 'kube-system';

export async function stageDaemonSet(
  kubectl: Kubectl,
  { name, container, image, desired, ready }: StagedDaemonSet,
): Promise<void> {
  const labels = { 'k8s-app': name };
  const template = { metadata: { labels }, spec: { containers: [{ name: container, image }] } };
  const metadata = { name, namespace: NAMESPACE };
  const spec = { selector: { matchLabels: labels }, template };
  await kubectl.apply([{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec }], '--force-conflicts');
  const live = await kubectl.get<{ metadata: { generation: number } }>('daemonset', '-n', NAMESPACE, name);
  const status = {
    currentNumberScheduled: desired,
    desiredNumberScheduled: desired,
    numberMisscheduled: 0,
    numberReady: ready,
    observedGeneration: live?.metadata.generation ?? 0,
  };
  const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
  await kubectl.run('patch', 'daemonset', '-n', NAMESPACE, name, ...patch);
}
