import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ensureTestClientImage } from '../image/test-client.ts';
import { run } from '../lib/exec.ts';
import { hashValue } from '../lib/hash.ts';
import { withLock } from '../lib/lock.ts';
import type { Cache } from './cache.ts';
import { ciliumValues, installCilium } from './cilium.ts';
import { ensureCiliumImage } from './cilium-image.ts';
import { type Engine, ensureEngine } from './engine.ts';
import { clusterName, FLAVOURS, type FlavourName, PLAIN_NETWORK } from './flavours.ts';
import { isHealthy, waitForSystem } from './health.ts';
import { archivesFolder } from './image-archives.ts';
import type { ImageSource } from './image-source.ts';
import type { Workshop } from './images.ts';
import { clusterConfig, Kind, nodeOf } from './kind.ts';
import { ensureNodeImage } from './node-image.ts';
import type { Progress } from './progress.ts';
import { type ClusterState, clusterFolder, readClusterState, removeClusterState, writeClusterState } from './state.ts';
import { coreDnsBlock, TARGET_HOSTS, type TargetPlan } from './target-plan.ts';
import { currentTargets, ensureTargets } from './targets.ts';
import { type ClientTools, clientTools } from './tools.ts';
import { VERSIONS } from './versions.ts';

export interface UpOptions {
  readonly source: ImageSource;
  /** Install the container engine and build tools where that is possible. */
  readonly install: boolean;
}

interface Images {
  readonly node: string | undefined;
  readonly cilium: string | undefined;
}

/** Another process that creates the same cluster: a cold build beforehand has a lock of its own. */
const CLUSTER_LOCK_MS = 15 * 60_000;

/** Makes sure that the cluster of the flavour runs, with its targets. A healthy one is returned at once. */
export async function ensureCluster(
  cache: Cache,
  progress: Progress,
  flavour: FlavourName,
  options: UpOptions,
): Promise<ClusterState> {
  const { workshop, tools, images, client } = await prepareCluster(cache, progress, flavour, options);
  const lock = { timeoutMs: CLUSTER_LOCK_MS, onWait: (pid: number) => progress.note(`waiting for process ${pid}`) };
  return withLock(path.join(cache.root, 'locks', clusterName(flavour)), lock, async () => {
    const archives = options.source === 'source' ? await archivesFolder(cache) : undefined;
    const key = clusterKey({ flavour, images, tools, archives });
    const known = await readClusterState(cache, flavour);
    const isUp = known?.key === key && (await isHealthy(known));
    const state = isUp
      ? known
      : await createCluster(workshop, { flavour, images, tools, archives, key, client, source: options.source });
    await ensureTargets(workshop, client, state.targets);
    await routeMetadata(workshop.engine, state);
    await new Kind(tools.kind, workshop).loadImage(state, client);
    return state;
  });
}

interface Prepared {
  readonly workshop: Workshop;
  readonly tools: ClientTools;
  readonly images: Images;
  /** The image that targets and test pods run. */
  readonly client: string;
}

/** Everything that takes long where it has to be built: the engine, the programs and the images. Nothing runs yet. */
export async function prepareCluster(
  cache: Cache,
  progress: Progress,
  flavour: FlavourName,
  options: UpOptions,
): Promise<Prepared> {
  const workshop: Workshop = { cache, engine: await ensureEngine(progress, options.install), progress };
  const tools = await clientTools(cache, progress);
  const images = await ensureImages(workshop, flavour, options.source);
  return { workshop, tools, images, client: await ensureTestClientImage(workshop, options.source) };
}

/** Removes the cluster of the flavour and what is known about it. Its images and binaries stay in the cache. */
export async function removeCluster(workshop: Workshop, flavour: FlavourName): Promise<void> {
  const tools = await clientTools(workshop.cache, workshop.progress);
  const name = clusterName(flavour);
  const kubeconfigPath = path.join(clusterFolder(workshop.cache, flavour), 'kubeconfig');
  await new Kind(tools.kind, workshop).delete({ name, kubeconfigPath });
  await removeClusterState(workshop.cache, flavour);
}

async function ensureImages(workshop: Workshop, flavour: FlavourName, source: ImageSource): Promise<Images> {
  if (source === 'public') return { node: undefined, cilium: undefined };
  const node = await ensureNodeImage(workshop);
  const cilium = FLAVOURS[flavour].cilium === undefined ? undefined : await ensureCiliumImage(workshop);
  return { node, cilium };
}

/** Covers what `createCluster` uses. Targets and test images are brought up to date in a running cluster instead. */
function clusterKey({ flavour, images, tools, archives }: Parts): string {
  const { cilium } = FLAVOURS[flavour];
  const values = cilium === undefined ? PLAIN_NETWORK : ciliumValues({ ...cilium, image: images.cilium });
  return hashValue({
    images,
    values,
    hosts: TARGET_HOSTS,
    kind: tools.kind,
    config: clusterConfig([], archives),
    cilium: VERSIONS.cilium,
  });
}

interface Parts {
  readonly flavour: FlavourName;
  readonly images: Images;
  readonly tools: ClientTools;
  /** The folder that the node reads images from, where it is known to be able to. */
  readonly archives: string | undefined;
}

interface Creation extends Parts {
  readonly key: string;
  readonly client: string;
  readonly source: ImageSource;
}

async function createCluster(workshop: Workshop, creation: Creation): Promise<ClusterState> {
  const { cache, engine, progress } = workshop;
  const { flavour, images, tools, archives, key, client, source } = creation;
  const folder = clusterFolder(cache, flavour);
  const cluster = { name: clusterName(flavour), kubeconfigPath: path.join(folder, 'kubeconfig') };
  const kind = new Kind(tools.kind, workshop);
  await removeCluster(workshop, flavour);
  await mkdir(folder, { recursive: true });
  await progress.step(`create cluster ${cluster.name}`, (step) =>
    kind.create(cluster, { image: images.node, archives }, step),
  );
  const targets = await currentTargets(engine);
  const node = nodeOf(cluster);
  const state: ClusterState = { ...cluster, flavour, node, engine: engine.command, source, tools, targets, key };
  await teachNames(state, targets);
  await installNetwork(kind, workshop, { state, images });
  await Promise.all([
    progress.step(`wait for ${cluster.name}`, (step) => waitForSystem(state, step)),
    kind.loadImage(state, client),
  ]);
  await writeClusterState(cache, state);
  return state;
}

async function installNetwork(
  kind: Kind,
  workshop: Workshop,
  { state, images }: { readonly state: ClusterState; readonly images: Images },
): Promise<void> {
  const { cilium } = FLAVOURS[state.flavour];
  if (cilium === undefined) {
    const command = 'mkdir -p /etc/cni/net.d && cat > /etc/cni/net.d/10-ptp.conflist';
    const args = ['exec', '-i', state.node, 'sh', '-c', command];
    await run(workshop.engine.command, args, { input: JSON.stringify(PLAIN_NETWORK) });
    return;
  }
  if (images.cilium !== undefined) await kind.loadImage(state, images.cilium);
  await workshop.progress.step(`install Cilium in ${state.name}`, (step) =>
    installCilium(state.tools, state.kubeconfigPath, { ...cilium, image: images.cilium }, step),
  );
}

/** Before the resolver starts: its pods cannot be scheduled yet, so none has read another configuration. */
async function teachNames(state: ClusterState, targets: TargetPlan): Promise<void> {
  const env = { KUBECONFIG: state.kubeconfigPath };
  const configMap = ['-n', 'kube-system', 'configmap', 'coredns'];
  const text = await run(state.tools.kubectl, ['get', ...configMap, '-o', 'json'], { env });
  const { data } = JSON.parse(text) as { data: { Corefile: string } };
  const patch = JSON.stringify({ data: { Corefile: `${data.Corefile}${coreDnsBlock(targets)}` } });
  await run(state.tools.kubectl, ['patch', ...configMap, '--type', 'merge', '-p', patch], { env });
}

/** The metadata address is not on the network of the targets: the node has to be told the way. */
async function routeMetadata(engine: Engine, state: ClusterState): Promise<void> {
  const { metadata, unnamed } = state.targets.addresses;
  await run(engine.command, ['exec', state.node, 'ip', 'route', 'replace', `${metadata}/32`, 'via', unnamed]);
}
