import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run, succeeds } from '../lib/exec.ts';
import { waitUntil } from '../lib/wait-for.ts';
import { BINARY_GROUPS, type BinaryName, binaryArtefact, ensureBinaries } from './binaries.ts';
import { artefactKey } from './cache.ts';
import { ensureDebianImage } from './debian-image.ts';
import { prepareBuildHost } from './engine.ts';
import { goModuleSource } from './go-build.ts';
import {
  buildImage,
  ensureImage,
  type ImageRecipe,
  imageExists,
  imageReference,
  saveImage,
  type Workshop,
} from './images.ts';
import type { Step } from './progress.ts';
import { KUBEADM_IMAGE_TAGS, VERSIONS } from './versions.ts';

/** What kind's own base image installs (kubernetes-sigs/kind: images/base/Dockerfile), and a DNS client for tests. */
const NODE_PACKAGES = [
  ...['systemd', 'dbus', 'conntrack', 'iptables', 'nftables', 'iproute2', 'ethtool', 'util-linux', 'mount', 'kmod'],
  ...['libseccomp2', 'e2fsprogs', 'bash', 'ca-certificates', 'curl', 'jq', 'procps', 'socat', 'ipset', 'ebtables'],
  ...['runc', 'containernetworking-plugins', 'bind9-dnsutils'],
];

const ENTRYPOINT = 'ENTRYPOINT ["/usr/local/bin/entrypoint","/sbin/init"]';

interface Component {
  readonly tag: string;
  readonly binary: BinaryName;
  /** On the Debian base instead of an empty one: kube-proxy calls nft. */
  readonly onDebian?: boolean;
  /** Only what kubeadm starts without a command of its own needs one. */
  readonly entrypoint?: boolean;
}

const kubernetesImage = (binary: BinaryName): Component => ({
  tag: `registry.k8s.io/${binary}:v${VERSIONS.kubernetes}`,
  binary,
});

const COMPONENTS: readonly Component[] = [
  kubernetesImage('kube-apiserver'),
  kubernetesImage('kube-controller-manager'),
  kubernetesImage('kube-scheduler'),
  { ...kubernetesImage('kube-proxy'), onDebian: true },
  { tag: `registry.k8s.io/etcd:${KUBEADM_IMAGE_TAGS.etcd}`, binary: 'etcd' },
  { tag: `registry.k8s.io/coredns/coredns:${KUBEADM_IMAGE_TAGS.coredns}`, binary: 'coredns', entrypoint: true },
  { tag: `registry.k8s.io/pause:${KUBEADM_IMAGE_TAGS.pause}`, binary: 'pause', entrypoint: true },
];

/** Clean-up of units and what is enabled instead, as kind's Dockerfile does it; then two settings of our own. */
const SET_UP = [
  'chmod 755 /kind/bin/*.sh /usr/local/bin/*',
  'mkdir -p /opt/cni/bin /etc/kubernetes/manifests /kind/manifests && cp /usr/lib/cni/* /opt/cni/bin/',
  'find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete',
  'rm -rf /lib/systemd/system/multi-user.target.wants/* /etc/systemd/system/*.wants/*',
  'rm -rf /lib/systemd/system/local-fs.target.wants/* /lib/systemd/system/basic.target.wants/*',
  'rm -f /lib/systemd/system/sockets.target.wants/*udev* /lib/systemd/system/sockets.target.wants/*initctl*',
  'echo ReadKMsg=no >> /etc/systemd/journald.conf && ln -sf /lib/systemd/systemd /sbin/init',
  'systemctl enable kubelet.service containerd.service undo-mount-hacks.service && systemctl mask systemd-binfmt.service',
  // kubeadm's pause image, and no lowering of OOM scores: that needs a capability which the host may lack.
  `sed -i 's#pause:3.10"#pause:${VERSIONS.pause}"#' /etc/containerd/config.toml`,
  `sed -i 's/restrict_oom_score_adj = false/restrict_oom_score_adj = true/' /etc/containerd/config.toml`,
  `ctr oci spec | jq '.hooks.createContainer += [{"path":"/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' > /etc/containerd/cri-base.json`,
];

/** Returns the reference of a kind node image in which everything, down to the component images, was built from source. */
export async function ensureNodeImage(workshop: Workshop): Promise<string> {
  const identity = await nodeImageIdentity();
  if (await imageExists(workshop.engine, imageReference(identity))) return imageReference(identity);
  await prepareBuildHost(workshop.progress);
  const binaries = await ensureBinaries(workshop.cache, BINARY_GROUPS.node, workshop.progress);
  const base = await ensureNodeBase(workshop);
  return ensureImage(workshop, {
    ...identity,
    build: (reference, folder, step) => buildNodeImage(workshop, { reference, folder, binaries, base }, step),
  });
}

/** Returns the Debian base of the node image, which test clients and targets share. */
export function ensureNodeBase(workshop: Workshop): Promise<string> {
  return ensureDebianImage(workshop, 'node-base', NODE_PACKAGES);
}

/** What names the image: with it, one can ask whether the image is there without building anything. */
export async function nodeImageIdentity(): Promise<Omit<ImageRecipe, 'build'>> {
  const artefacts = await Promise.all(BINARY_GROUPS.node.map(binaryArtefact));
  return {
    name: 'kind-node',
    version: `v${VERSIONS.kubernetes}`,
    inputs: { binaries: artefacts.map(artefactKey), NODE_PACKAGES, COMPONENTS, SET_UP, kind: VERSIONS.kind },
  };
}

interface Target {
  readonly reference: string;
  readonly folder: string;
  readonly binaries: Readonly<Record<string, string>>;
  readonly base: string;
}

async function buildNodeImage(workshop: Workshop, target: Target, step: Step): Promise<void> {
  const { binaries, base } = target;
  const archives = path.join(target.folder, 'archives');
  await mkdir(archives);
  for (const component of COMPONENTS) {
    await saveComponent(workshop, { component, binary: binaries[component.binary] ?? '', base, archives }, step);
  }
  const context = path.join(target.folder, 'context');
  await fillContext(context, binaries);
  const bare = `${target.reference}-bare`;
  const containerfile = [
    `FROM ${base}`,
    'COPY files/ /',
    'COPY bin/ /usr/local/bin/',
    'COPY kube/ /usr/bin/',
    'COPY version /kind/version',
    `RUN set -e; ${SET_UP.join('; ')}`,
    'ENV container=docker',
    'STOPSIGNAL SIGRTMIN+3',
    ENTRYPOINT,
  ];
  await buildImage(workshop.engine, { reference: bare, folder: context, containerfile }, step);
  await importComponents(workshop, { bare, archives, reference: target.reference }, step);
  await run(workshop.engine.command, ['rmi', bare]);
}

async function fillContext(context: string, binaries: Readonly<Record<string, string>>): Promise<void> {
  const folders = {
    bin: ['containerd', 'ctr', 'containerd-shim-runc-v2', 'crictl'],
    kube: ['kubelet', 'kubeadm', 'kubectl'],
  };
  for (const [folder, names] of Object.entries(folders)) {
    await mkdir(path.join(context, folder), { recursive: true });
    for (const name of names) await copyFile(binaries[name] ?? '', path.join(context, folder, name));
  }
  // The module cache is read-only, and cp keeps modes: the engine could not write into the copy.
  const files = path.join(await goModuleSource('kind', 'sigs.k8s.io/kind'), 'images/base/files');
  await cp(files, path.join(context, 'files'), { recursive: true });
  await run('chmod', ['-R', 'u+w', path.join(context, 'files')]);
  await writeFile(path.join(context, 'version'), `v${VERSIONS.kubernetes}`);
}

interface ComponentWork {
  readonly component: Component;
  readonly binary: string;
  readonly base: string;
  readonly archives: string;
}

async function saveComponent(workshop: Workshop, work: ComponentWork, step: Step): Promise<void> {
  const { tag, onDebian, entrypoint } = work.component;
  const name = path.basename(work.binary);
  const folder = path.join(work.archives, `${name}.context`);
  await mkdir(folder);
  await copyFile(work.binary, path.join(folder, name));
  await chmod(path.join(folder, name), 0o755);
  const containerfile = [
    `FROM ${onDebian ? work.base : 'scratch'}`,
    `COPY ${name} /usr/local/bin/`,
    'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...(entrypoint ? [`ENTRYPOINT ["/usr/local/bin/${name}"]`] : []),
  ];
  await buildImage(workshop.engine, { reference: tag, folder, containerfile }, step);
  await saveImage(workshop.engine, tag, path.join(work.archives, `${name}.tar`), step);
  await run(workshop.engine.command, ['rmi', tag]);
}

interface ImportWork {
  readonly bare: string;
  readonly archives: string;
  readonly reference: string;
}

/** Starts the bare node with containerd only, imports the component images into its store, and keeps the result. */
async function importComponents(workshop: Workshop, work: ImportWork, step: Step): Promise<void> {
  const { command } = workshop.engine;
  const container = 'agentplane-node-build';
  const log = { logPath: step.logPath };
  const inside = (...args: string[]): Promise<string> => run(command, ['exec', container, ...args], log);
  await succeeds(command, ['rm', '-f', container]);
  const options = [
    '-d',
    '--name',
    container,
    '--privileged',
    '--entrypoint',
    'sleep',
    '-v',
    `${work.archives}:/archives:ro`,
  ];
  await run(command, ['run', ...options, work.bare, 'infinity'], log);
  try {
    await run(command, ['exec', '-d', container, 'containerd'], log);
    await waitUntil('containerd in the node image', { timeoutMs: 30_000 }, () =>
      succeeds(command, ['exec', container, 'ctr', 'version']),
    );
    for (const { binary } of COMPONENTS) {
      await inside('ctr', '-n', 'k8s.io', 'images', 'import', '--local', `/archives/${binary}.tar`);
    }
    await inside('sh', '-c', 'kill $(pidof containerd); while pidof containerd >/dev/null; do sleep 0.1; done');
    await run(command, ['commit', '--change', ENTRYPOINT, container, work.reference], log);
  } finally {
    await succeeds(command, ['rm', '-f', container]);
  }
}
