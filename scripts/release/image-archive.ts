/** The image of a release: an OCI layout, and the same as one file. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle, bundleCanary } from '../image/bundle.ts';
import { AGENTPLANE_IMAGE, FINAL_CONFIG } from '../image/image.ts';
import { pinnedNode } from '../image/node-binary.ts';
import { packRuntimeRoot } from '../image/runtime-root.ts';
import { filesIn, tarOf } from './archive.ts';
import { type WrittenImage, writeOciLayout } from './oci-image.ts';
import type { SbomParts } from './sbom.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export interface ReleasedImage extends WrittenImage {
  /** Folder of the layout. */
  readonly layout: string;
  /** `agentplane-image-<version>-<architecture>.tar`, which podman, docker and ctr load. */
  readonly archive: string;
  readonly parts: SbomParts;
}

/** For the architecture of this machine: Node is its own binary. `work` is a folder for what is in between. */
export async function buildReleaseImage(
  version: string,
  out: string,
  work: string,
  logPath: string,
): Promise<ReleasedImage> {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  const root = path.join(work, 'root');
  await mkdir(root, { recursive: true });
  const debian = await packRuntimeRoot(root, path.join(work, 'root.tar'), { logPath });
  const node = await pinnedNode();
  const program = await programFolder(path.join(work, 'program'), node.file);
  const layout = path.join(work, 'layout');
  const written = await writeOciLayout(layout, {
    architecture,
    layers: [
      await readFile(path.join(work, 'root.tar')),
      await tarOf({ folder: program.folder, names: ['usr/local/bin/node'] }),
      await tarOf({ folder: program.folder, names: ['app/agentplane.mjs', 'app/canary.mjs'] }),
    ],
    config: FINAL_CONFIG,
    labels: {
      'org.opencontainers.image.title': 'agentplane',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
    reference: `${AGENTPLANE_IMAGE.repository}:${version}`,
  });
  const archive = path.join(out, `agentplane-image-${version}-${architecture}.tar`);
  await writeFile(archive, await tarOf({ folder: layout, names: await filesIn(layout) }));
  await rm(root, { recursive: true });
  return { ...written, layout, archive, parts: { version, inputs: program.inputs, node: node.version, debian } };
}

async function programFolder(folder: string, node: string): Promise<{ folder: string; inputs: readonly string[] }> {
  const [program, canary] = [await bundle(), await bundleCanary()];
  await mkdir(path.join(folder, 'usr/local/bin'), { recursive: true });
  await mkdir(path.join(folder, 'app'));
  await copyFile(node, path.join(folder, 'usr/local/bin/node'));
  await writeFile(path.join(folder, 'app/agentplane.mjs'), program.code);
  await writeFile(path.join(folder, 'app/canary.mjs'), canary.code);
  return { folder, inputs: [...new Set([...program.inputs, ...canary.inputs])] };
}
