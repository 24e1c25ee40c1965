/**
 * The image as an OCI layout, made without a container engine: https://github.com/opencontainers/image-spec. The same files give the
 * same digests.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipped } from './archive.ts';

export interface OciImage {
  readonly architecture: string;
  /** Uncompressed tars, the lowest first. */
  readonly layers: readonly Buffer[];
  /** `config` of the image configuration: user, entry point and so on. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
  /** What an engine calls the image once it has loaded it: repository and tag. */
  readonly reference: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface WrittenImage {
  /** Digest of the manifest: what `image.digest` pins. */
  readonly digest: string;
  readonly layerDigests: readonly string[];
}

const TYPE = 'application/vnd.oci.image';
const CREATED = '1980-01-01T00:00:00Z';

/** Writes the layout into `folder`, which must not exist or be empty. */
export async function writeOciLayout(folder: string, image: OciImage): Promise<WrittenImage> {
  const blobs = path.join(folder, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const write = async (mediaType: string, data: Buffer): Promise<Descriptor> => {
    const hex = sha256(data);
    await writeFile(path.join(blobs, hex), data);
    return { mediaType, digest: `sha256:${hex}`, size: data.length };
  };
  const json = (mediaType: string, value: unknown) => write(mediaType, Buffer.from(JSON.stringify(value)));
  const layers: Descriptor[] = [];
  for (const layer of image.layers) layers.push(await write(`${TYPE}.layer.v1.tar+gzip`, gzipped(layer)));
  const config = await json(`${TYPE}.config.v1+json`, {
    created: CREATED,
    architecture: image.architecture,
    os: 'linux',
    config: { ...image.config, Labels: image.labels },
    rootfs: { type: 'layers', diff_ids: image.layers.map((layer) => `sha256:${sha256(layer)}`) },
    history: image.layers.map(() => ({ created: CREATED, created_by: 'agentplane release' })),
  });
  const mediaType = `${TYPE}.manifest.v1+json`;
  const annotations = image.labels;
  const manifest = await json(mediaType, { schemaVersion: 2, mediaType, config, layers, annotations });
  await writeFile(path.join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const index = {
    schemaVersion: 2,
    mediaType: `${TYPE}.index.v1+json`,
    manifests: [
      {
        ...manifest,
        platform: { architecture: image.architecture, os: 'linux' },
        // The one is read by podman and skopeo, the other by docker, nerdctl and ctr.
        annotations: {
          'org.opencontainers.image.ref.name': image.reference,
          'io.containerd.image.name': image.reference,
        },
      },
    ],
  };
  await writeFile(path.join(folder, 'index.json'), JSON.stringify(index));
  return { digest: manifest.digest, layerDigests: layers.map(({ digest }) => digest) };
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
