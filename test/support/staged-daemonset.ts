/** A DaemonSet with the status that a controller would give it, on a control plane without nodes. */
import type { Client } from '../../src/kube/client.ts';
import type { Resource } from '../../src/kube/types.ts';

export interface StagedDaemonSet {
  readonly name: string;
  readonly image?: string;
  readonly container?: string;
  readonly args?: readonly string[];
  readonly desired?: number;
  /** All that are desired unless told. */
  readonly ready?: number;
  readonly updated?: number;
  /** False: the controller has not seen the newest spec yet. */
  readonly observed?: boolean;
}

export const STAGED_NAMESPACE = 'kube-system';
export const DAEMON_SETS: Resource = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet' };
const WRITE = { fieldManager: 'stage' };

export async function stageDaemonSet(client: Client, staged: StagedDaemonSet): Promise<void> {
  const { name, container = name, image = `example.com/${name}`, args = [], desired = 1, observed = true } = staged;
  const { ready = desired, updated = desired } = staged;
  const labels = { 'k8s-app': name };
  const template = { metadata: { labels }, spec: { containers: [{ name: container, image, args }] } };
  const metadata = { name, namespace: STAGED_NAMESPACE };
  const spec = { selector: { matchLabels: labels }, template };
  const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec };
  const live = await client.apply(DAEMON_SETS, daemonSet, { ...WRITE, force: true });
  const generation = live.metadata.generation ?? 0;
  const status = {
    currentNumberScheduled: desired,
    desiredNumberScheduled: desired,
    numberMisscheduled: 0,
    numberReady: ready,
    updatedNumberScheduled: updated,
    observedGeneration: observed ? generation : generation - 1,
  };
  await client.mergePatch(DAEMON_SETS, metadata, { status }, { ...WRITE, subresource: 'status' });
}
