import { copyFile, cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../lib/exec.ts';
import { BINARY_GROUPS, binaryArtefact, ensureBinaries } from './binaries.ts';
import { artefactKey } from './cache.ts';
import { ensureDebianImage } from './debian-image.ts';
import { prepareBuildHost } from './engine.ts';
import { goModuleSource } from './go-build.ts';
import { buildImage, ensureImage, imageExists, imageReference, type Workshop } from './images.ts';
import { VERSIONS } from './versions.ts';

/** clang and llvm because the agent compiles its BPF programs on the node. */
const PACKAGES = [
  ...['bash', 'iproute2', 'iptables', 'ipset', 'kmod', 'ca-certificates', 'libatomic1', 'clang-19', 'llvm-19'],
  ...['jq', 'mount', 'util-linux', 'procps'],
];

/** Places as in cilium/cilium: images/cilium/Dockerfile. */
const CONTAINERFILE = [
  'COPY cilium-agent cilium-dbg cilium-mount cilium-sysctlfix /usr/bin/',
  'COPY cilium-cni /opt/cni/bin/cilium-cni',
  'COPY init-container.sh install-plugin.sh cni-uninstall.sh /',
  'COPY bpf /var/lib/cilium/bpf',
  'RUN ln -sf /usr/bin/clang-19 /usr/local/bin/clang && ln -sf /usr/bin/llc-19 /usr/local/bin/llc && chmod 755 /*.sh',
  'WORKDIR /home/cilium',
  'CMD ["/usr/bin/cilium-dbg"]',
];

/** Source of the Cilium version that is pinned: its chart, CRDs and BPF programs are read from there. */
export function ciliumSource(): Promise<string> {
  return goModuleSource('cilium', 'github.com/cilium/cilium');
}

/** Returns the reference of a Cilium agent image built from source. */
export async function ensureCiliumImage(workshop: Workshop): Promise<string> {
  const artefacts = await Promise.all(BINARY_GROUPS.cilium.map(binaryArtefact));
  const inputs = { binaries: artefacts.map(artefactKey), PACKAGES, CONTAINERFILE };
  const identity = { name: 'cilium', version: `v${VERSIONS.cilium}`, inputs };
  if (await imageExists(workshop.engine, imageReference(identity))) return imageReference(identity);
  await prepareBuildHost(workshop.progress);
  const binaries = await ensureBinaries(workshop.cache, BINARY_GROUPS.cilium, workshop.progress);
  const base = await ensureDebianImage(workshop, 'cilium-base', PACKAGES);
  return ensureImage(workshop, {
    ...identity,
    build: async (reference, folder, step) => {
      for (const [name, file] of Object.entries(binaries)) await copyFile(file, path.join(folder, name));
      const source = await ciliumSource();
      const scripts = [
        'images/cilium/init-container.sh',
        'plugins/cilium-cni/install-plugin.sh',
        'plugins/cilium-cni/cni-uninstall.sh',
      ];
      for (const script of scripts) await copyFile(path.join(source, script), path.join(folder, path.basename(script)));
      await cp(path.join(source, 'bpf'), path.join(folder, 'bpf'), { recursive: true });
      await run('chmod', ['-R', 'u+w', folder]);
      await rm(path.join(folder, 'bpf/tests'), { recursive: true, force: true });
      await buildImage(workshop.engine, { reference, folder, containerfile: [`FROM ${base}`, ...CONTAINERFILE] }, step);
    },
  });
}
