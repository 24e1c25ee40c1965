import path from 'node:path';
import { ScriptError } from '../lib/errors.ts';
import { run, succeeds } from '../lib/exec.ts';
import { hashPaths } from '../lib/hash.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { type Artefact, type Cache, ensureArtefact } from './cache.ts';
import { type GoProgram, goBuild, goModuleSource } from './go-build.ts';
import type { Progress } from './progress.ts';
import { VERSIONS } from './versions.ts';

interface Binary {
  /** File name, where it differs from the name: helm must be called helm. */
  readonly fileName?: string;
  readonly version: string;
  readonly program: GoProgram;
}

const STRIPPED = '-s -w';
const [MAJOR, MINOR] = VERSIONS.kubernetes.split('.');
const VERSION_PACKAGE = 'k8s.io/component-base/version';
const KUBERNETES_FLAGS = [
  STRIPPED,
  `-X ${VERSION_PACKAGE}.gitVersion=v${VERSIONS.kubernetes}`,
  `-X ${VERSION_PACKAGE}.gitMajor=${MAJOR}`,
  `-X ${VERSION_PACKAGE}.gitMinor=${MINOR}`,
  `-X ${VERSION_PACKAGE}.gitTreeState=clean`,
].join(' ');
const CILIUM_FLAGS = `${STRIPPED} -X github.com/cilium/cilium/pkg/version.ciliumVersion=${VERSIONS.cilium}`;
/** Snapshotters that need kernel features or C libraries that a kind node does not use. */
const CONTAINERD_TAGS = ['no_btrfs', 'no_devmapper', 'no_zfs', 'no_aufs'];

const program = (module: string, packagePath: string, ldflags = STRIPPED, tags: readonly string[] = []): GoProgram => ({
  module,
  package: packagePath,
  ldflags,
  tags,
});
const kubernetes = (name: string): Binary => ({
  version: VERSIONS.kubernetes,
  program: program('kubernetes', `k8s.io/kubernetes/cmd/${name}`, KUBERNETES_FLAGS),
});
const containerd = (name: string): Binary => ({
  version: VERSIONS.containerd,
  program: program('containerd', `github.com/containerd/containerd/v2/cmd/${name}`, STRIPPED, CONTAINERD_TAGS),
});
const cilium = (folder: string): Binary => ({
  version: VERSIONS.cilium,
  program: program('cilium', `github.com/cilium/cilium/${folder}`, CILIUM_FLAGS),
});

const registryProgram = (name: string): Binary => ({
  version: VERSIONS.containerregistry,
  program: program('containerregistry', `github.com/google/go-containerregistry/cmd/${name}`),
});

const BINARIES = {
  etcd: { version: VERSIONS.etcd, program: program('etcd', 'go.etcd.io/etcd/server/v3') },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  kubectl: kubernetes('kubectl'),
  helm3: { fileName: 'helm', version: VERSIONS.helm3, program: program('helm3', 'helm.sh/helm/v3/cmd/helm') },
  helm4: { fileName: 'helm', version: VERSIONS.helm4, program: program('helm4', 'helm.sh/helm/v4/cmd/helm') },
  ct: { version: VERSIONS.chartTesting, program: program('chart-testing', 'github.com/helm/chart-testing/v3/ct') },
  kubeconform: {
    version: VERSIONS.kubeconform,
    program: program('kubeconform', 'github.com/yannh/kubeconform/cmd/kubeconform'),
  },
  glua: { version: VERSIONS.gopherLua, program: program('gopher-lua', 'github.com/yuin/gopher-lua/cmd/glua') },
  crane: registryProgram('crane'),
  registry: registryProgram('registry'),
  kstatus: { version: VERSIONS.kstatus, program: program('kstatus', '.') },
  kind: { version: VERSIONS.kind, program: program('kind', 'sigs.k8s.io/kind') },
  'kube-scheduler': kubernetes('kube-scheduler'),
  'kube-proxy': kubernetes('kube-proxy'),
  kubelet: kubernetes('kubelet'),
  kubeadm: kubernetes('kubeadm'),
  containerd: containerd('containerd'),
  ctr: containerd('ctr'),
  'containerd-shim-runc-v2': containerd('containerd-shim-runc-v2'),
  crictl: { version: VERSIONS.crictl, program: program('crictl', 'sigs.k8s.io/cri-tools/cmd/crictl') },
  coredns: { version: VERSIONS.coredns, program: program('coredns', '.') },
  'cilium-agent': cilium('daemon'),
  'cilium-cni': cilium('plugins/cilium-cni'),
  'cilium-dbg': cilium('cilium-dbg'),
  'cilium-mount': cilium('tools/mount'),
  'cilium-sysctlfix': cilium('tools/sysctlfix'),
} as const satisfies Record<string, Binary>;

export type BinaryName = keyof typeof BINARIES | 'pause';

/** What belongs together, in the order of need: `build <group>` of the command line. */
export const BINARY_GROUPS = {
  embedded: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'],
  api: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm3', 'helm4', 'glua', 'kstatus'],
  chart: ['kubectl', 'helm3', 'helm4', 'ct', 'kubeconform', 'crane', 'registry'],
  client: ['kind', 'kubectl', 'helm3'],
  node: [
    ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'kubeadm', 'kubectl'],
    ...['etcd', 'coredns', 'pause', 'containerd', 'ctr', 'containerd-shim-runc-v2', 'crictl'],
  ] as BinaryName[],
  cilium: ['cilium-agent', 'cilium-cni', 'cilium-dbg', 'cilium-mount', 'cilium-sysctlfix'],
} as const satisfies Record<string, readonly BinaryName[]>;

/** Returns the paths of the binaries asked for, and builds those that are missing or damaged. */
export async function ensureBinaries<N extends BinaryName>(
  cache: Cache,
  names: readonly N[],
  progress: Progress,
): Promise<Record<N, string>> {
  const paths: Partial<Record<N, string>> = {};
  for (const name of names) paths[name] = await ensureArtefact(cache, await binaryArtefact(name), progress);
  return paths as Record<N, string>;
}

/** The artefact of a binary. Its key covers the version, the flags and the pinned module files. */
export async function binaryArtefact(name: BinaryName): Promise<Artefact> {
  if (name === 'pause') return pauseArtefact();
  const { fileName = name, version, program: built }: Binary = BINARIES[name];
  const pins = await hashPaths(REPOSITORY, [path.join('tools', built.module)]);
  return {
    name,
    version,
    fileName,
    inputs: { program: built, pins },
    build: (target, step) => goBuild(built, target, step.logPath),
  };
}

/** The one C program: its source comes with Kubernetes, and it is what keeps a pod's namespaces open. */
function pauseArtefact(): Artefact {
  return {
    name: 'pause',
    version: VERSIONS.pause,
    fileName: 'pause',
    inputs: { kubernetes: VERSIONS.kubernetes },
    build: async (target, step) => {
      if (!(await succeeds('gcc', ['--version']))) {
        throw new ScriptError('ToolMissing', 'gcc is needed to build the pause binary: install gcc and libc6-dev');
      }
      const source = path.join(await goModuleSource('kubernetes', 'k8s.io/kubernetes'), 'build/pause/linux/pause.c');
      const args = ['-Os', '-static', `-DVERSION=${VERSIONS.pause}`, '-o', target, source];
      await run('gcc', args, { logPath: step.logPath });
    },
  };
}
