/** AgentPlane on a test cluster, with pods to try packets from, and pods to send them to. */
import type { FlavourName } from '../../../scripts/clusters/flavours.ts';
import { type BuiltImage, deliverAgentPlane } from '../../../scripts/image/image.ts';
import { type TestCluster, testCluster } from '../../support/cluster.ts';
import {
  installAgentPlane,
  installNamespace,
  restrictedNamespace,
  uninstallAgentPlane,
} from '../../support/install.ts';
import { clientPod, serverPod } from '../../support/pods.ts';
import { ACCOUNT, profile } from '../../support/policies.ts';

export const INSTALL = installNamespace('test');
/** Governed from the start. */
export const GOVERNED = 'test-governed';
/** Not governed: what answers here is there, so what does not answer in a governed namespace was denied. */
export const FREE = 'test-free';
/** Holds the pods that policies allow as workloads. */
export const TOOLS = 'test-tools';
/** Of the probe, where a test enables it. */
export const CANARIES = 'test-canaries';

/** Runs as the ServiceAccount of the profile. */
export const agent = { namespace: GOVERNED, name: 'agent' };
/** In the same namespace as another ServiceAccount. */
export const bystander = { namespace: GOVERNED, name: 'bystander' };
/** The same ServiceAccount name as the agent, where nothing is governed. */
export const control = { namespace: FREE, name: 'control' };

export const TOOL_PORTS = [8080, 8081];

export interface Site extends TestCluster {
  /** What is installed. */
  readonly image: BuiltImage;
  /** Addresses of the pods in `TOOLS`. */
  readonly pods: Readonly<Record<'tool' | 'other', string>>;
  /** Leaves the cluster as it was found; removes one that was brought up for these tests. */
  close(): Promise<void>;
}

export interface SiteOptions {
  /** What is installed instead of the three charts as they are here, with at least the CRDs. */
  readonly install?: (cluster: TestCluster, image: BuiltImage) => Promise<void>;
}

/** Brings everything up: takes a minute or two when the cluster is not there yet. Begins by removing what an ended run has left. */
export async function openSite(flavour: FlavourName, { install = installHere }: SiteOptions = {}): Promise<Site> {
  const cluster = await testCluster(flavour);
  const { workshop } = cluster;
  await removeRemains(cluster, '--wait', '--timeout=180s');
  const image = await deliverAgentPlane(workshop, cluster);
  await workshop.progress.step(`install AgentPlane in ${cluster.name}`, () => install(cluster, image));
  await workshop.progress.step(`pods in ${cluster.name}`, () => startPods(cluster));
  return {
    ...cluster,
    image,
    pods: { tool: await addressOf(cluster, 'tool'), other: await addressOf(cluster, 'other') },
    close: async () => {
      if (process.env.AGENTPLANE_KEEP !== '1')
        await (cluster.wasUp ? removeRemains(cluster, '--wait=false') : cluster.remove());
      await cluster.giveBack();
    },
  };
}

function installHere({ kubectl, helmClient: helm }: TestCluster, image: BuiltImage): Promise<void> {
  return installAgentPlane({ kubectl, helm, image, install: 'test', governedNamespaces: [GOVERNED] });
}

async function startPods({ kubectl }: TestCluster): Promise<void> {
  await kubectl.apply([FREE, TOOLS].map(restrictedNamespace));
  const account = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: ACCOUNT, namespace },
  });
  await kubectl.apply([account(GOVERNED), account(FREE), profile(GOVERNED)]);
  await kubectl.apply([
    clientPod({ ...agent, serviceAccountName: ACCOUNT }),
    clientPod(bystander),
    clientPod({ ...control, serviceAccountName: ACCOUNT }),
    ...['tool', 'other'].map((name) => serverPod({ namespace: TOOLS, name, labels: { app: name } }, TOOL_PORTS)),
  ]);
  for (const namespace of [GOVERNED, FREE, TOOLS]) {
    await kubectl.run('wait', '-n', namespace, '--for=condition=Ready', 'pod', '--all', '--timeout=120s');
  }
}

async function addressOf({ kubectl }: TestCluster, name: string): Promise<string> {
  const pod = await kubectl.get<{ status: { podIP: string } }>('pod', '-n', TOOLS, name);
  if (pod === undefined) throw new Error(`pod ${name} is gone`);
  return pod.status.podIP;
}

/** Whoever needs the names again waits for them: pods take half a minute to end. */
async function removeRemains({ kubectl, helmClient }: TestCluster, ...wait: readonly string[]): Promise<void> {
  await uninstallAgentPlane(helmClient, 'test');
  const namespaces = [INSTALL, GOVERNED, FREE, TOOLS, CANARIES];
  await kubectl.run('delete', 'namespace', ...namespaces, '--ignore-not-found', ...wait);
}
