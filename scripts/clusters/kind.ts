import path from 'node:path';
import { run, succeeds, tryRun } from '../lib/exec.ts';
import { machineLock, withLock } from '../lib/lock.ts';
import type { Engine } from './engine.ts';
import { ARCHIVES_ON_NODE, archivesFolder, ensureArchive } from './image-archives.ts';
import type { ImageSource } from './image-source.ts';
import type { Workshop } from './images.ts';
import type { Step } from './progress.ts';

/** Of every cluster of a machine. */
export const KIND_NETWORK = 'kind';

/** As long as one cluster takes, and a margin. */
const FIRST_CLUSTER_MS = 10 * 60_000;

export interface KindCluster {
  readonly name: string;
  readonly kubeconfigPath: string;
}

export interface KindNode {
  /** A node image reference; kind's own default when undefined. */
  readonly image: string | undefined;
  /** The folder of archives that images are loaded from; kind loads them when undefined. */
  readonly archives: string | undefined;
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/**
 * No network of kind's own: each flavour brings its own. `archives` is a folder of this machine that the node reads images from.
 * Format: site/content/docs/user/configuration of kubernetes-sigs/kind.
 */
export const clusterConfig = (environment: readonly Variable[], archives: string | undefined) => ({
  kind: 'Cluster',
  apiVersion: 'kind.x-k8s.io/v1alpha4',
  networking: { disableDefaultCNI: true, kubeProxyMode: 'nftables' },
  nodes: [
    {
      role: 'control-plane',
      extraMounts:
        archives === undefined ? [] : [{ hostPath: archives, containerPath: ARCHIVES_ON_NODE, readOnly: true }],
    },
  ],
  kubeadmConfigPatches: [
    JSON.stringify({
      kind: 'KubeletConfiguration',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      // Newer kubelets refuse cgroup v1 unless told; some hosts have nothing else.
      failCgroupV1: false,
    }),
    JSON.stringify({
      kind: 'ClusterConfiguration',
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      apiServer: { extraEnvs: environment },
      controllerManager: { extraEnvs: environment },
      scheduler: { extraEnvs: environment },
      // The data is thrown away with the cluster: waiting for the disk would only slow it.
      etcd: { local: { extraEnvs: environment, extraArgs: [{ name: 'unsafe-no-fsync', value: 'true' }] } },
    }),
  ],
});

/** With the first cluster of a machine, kind makes its network, and fails where another process makes it in that moment. */
async function afterFirst(engine: Engine, create: () => Promise<unknown>): Promise<void> {
  const hasNetwork = () => succeeds(engine.command, ['network', 'inspect', KIND_NETWORK]);
  const isMade =
    !(await hasNetwork()) &&
    (await withLock(machineLock('kind-network'), { timeoutMs: FIRST_CLUSTER_MS }, async () => {
      if (await hasNetwork()) return false;
      await create();
      return true;
    }));
  if (!isMade) await create();
}

/** What kind puts on its containers; it finds them by it, and so do we when kind itself cannot. */
const CLUSTER_LABEL = 'io.x-k8s.kind.cluster';

export class Kind {
  readonly #path: string;
  readonly #workshop: Workshop;

  constructor(path: string, workshop: Workshop) {
    this.#path = path;
    this.#workshop = workshop;
  }

  /** Creates the cluster and waits for its API server, not for its nodes: they need a network first. */
  async create(cluster: KindCluster, node: KindNode, step: Step): Promise<void> {
    const image = node.image === undefined ? [] : ['--image', node.image];
    const target = ['--name', cluster.name, '--kubeconfig', cluster.kubeconfigPath];
    // A test run asks for less garbage collection, which takes a fifth of the processor time of these programs.
    const { GOGC } = process.env;
    const environment = GOGC === undefined ? [] : [{ name: 'GOGC', value: GOGC }];
    const { engine } = this.#workshop;
    await afterFirst(engine, () =>
      run(this.#path, ['create', 'cluster', ...target, ...image, '--config', '-'], {
        env: engine.env,
        input: JSON.stringify(clusterConfig(environment, node.archives)),
        logPath: step.logPath,
      }),
    );
  }

  /** Removes the cluster, also one whose processes were ended from outside while the engine believes in them. */
  async delete(cluster: KindCluster): Promise<void> {
    const { engine } = this.#workshop;
    await removeContainers(engine, cluster.name);
    const args = ['delete', 'cluster', '--name', cluster.name, '--kubeconfig', cluster.kubeconfigPath];
    await tryRun(this.#path, args, { env: engine.env });
  }

  /** Makes the image known to the node under its own name; nothing is done when the node has that very image. */
  async loadImage(cluster: KindCluster & { readonly source: ImageSource }, reference: string): Promise<void> {
    const { cache, engine, progress } = this.#workshop;
    if (await isLoaded(engine, nodeOf(cluster), reference)) return;
    await progress.step(`load ${reference.split('/').at(-1)} into ${cluster.name}`, async (step) => {
      const archive = await ensureArchive(this.#workshop, reference, step);
      if (cluster.source === 'source') return importArchive(engine, nodeOf(cluster), archive, step);
      const file = path.join(await archivesFolder(cache), archive);
      const args = ['load', 'image-archive', file, '--name', cluster.name];
      await run(this.#path, args, { env: engine.env, logPath: step.logPath });
    });
  }
}

/** What kind does, for a node whose containerd is known and that has the archive: kind streams it there, which takes several times as long. */
async function importArchive(engine: Engine, node: string, archive: string, { logPath }: Step): Promise<void> {
  const file = path.posix.join(ARCHIVES_ON_NODE, archive);
  await run(engine.command, ['exec', node, 'ctr', '-n', 'k8s.io', 'images', 'import', '--local', file], { logPath });
}

/** Name of the only node, which is a container on the engine. */
export function nodeOf(cluster: { readonly name: string }): string {
  return `${cluster.name}-control-plane`;
}

/** Names of the containers of a cluster, running or not. */
export async function clusterContainers(engine: Engine, name: string): Promise<string[]> {
  const filter = `label=${CLUSTER_LABEL}=${name}`;
  const { stdout } = await tryRun(engine.command, ['ps', '-a', '--filter', filter, '--format', '{{.Names}}']);
  return stdout.split('\n').filter(Boolean);
}

/** A first removal can fail on the remains of a dead container, and still clear them away. */
async function removeContainers(engine: Engine, name: string): Promise<void> {
  for (const container of await clusterContainers(engine, name)) {
    // A node has nothing to save: without this, the engine gives its init ten seconds.
    await tryRun(engine.command, ['kill', container]);
    if (await succeeds(engine.command, ['rm', '-f', '-v', container])) continue;
    await run(engine.command, ['rm', '-f', '-v', container]);
  }
  await removeVolumes(engine, name);
}

/**
 * With Podman, kind gives a node a disk that is a named volume of some gigabytes, labelled with the node's name. It does not go with its
 * container, and kind itself finds it through the container only.
 */
async function removeVolumes(engine: Engine, name: string): Promise<void> {
  const filter = ['--filter', `label=${nodeOf({ name })}`];
  const { stdout } = await tryRun(engine.command, ['volume', 'ls', '-q', ...filter]);
  const volumes = stdout.split('\n').filter(Boolean);
  if (volumes.length > 0) await tryRun(engine.command, ['volume', 'rm', '-f', ...volumes]);
}

/** The digest of an image's configuration is its identity, on the engine as on the node. */
async function isLoaded(engine: Engine, node: string, reference: string): Promise<boolean> {
  const own = await run(engine.command, ['image', 'inspect', '--format', '{{.Id}}', reference]);
  const there = await tryRun(engine.command, ['exec', node, 'crictl', 'inspecti', '-o', 'json', reference]);
  if (there.code !== 0) return false;
  const { status } = JSON.parse(there.stdout) as { status?: { id?: string } };
  return status?.id?.replace('sha256:', '') === own.trim().replace('sha256:', '');
}
