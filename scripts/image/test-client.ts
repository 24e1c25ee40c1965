import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ImageSource } from '../clusters/image-source.ts';
import { buildImage, ensureImage, type Workshop } from '../clusters/images.ts';
import { ensureNodeBase } from '../clusters/node-image.ts';
import { PUBLIC_BUILDER_IMAGE } from '../clusters/versions.ts';
import { run } from '../lib/exec.ts';
import { hashPaths } from '../lib/hash.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { pinnedNode } from './node-binary.ts';

/** What manifests of tests and of the demo name. Has curl, dig, ip and node; servers are started with `/srv/server.ts`. */
export const TEST_CLIENT_IMAGE = 'localhost/agentplane/testclient:dev';

const SERVER_FOLDER = 'scripts/targets';
const SERVER_FILES = ['server.ts', 'dns-answer.ts'];
const PACKAGES = ['curl', 'bind9-dnsutils', 'iproute2', 'ca-certificates'];

/** Returns `TEST_CLIENT_IMAGE`, which is then the newest. It serves as client in pods, and as target outside of them. */
export async function ensureTestClientImage(workshop: Workshop, source: ImageSource): Promise<string> {
  const files = await hashPaths(
    REPOSITORY,
    SERVER_FILES.map((file) => path.join(SERVER_FOLDER, file)),
  );
  const base = source === 'source' ? await ensureNodeBase(workshop) : PUBLIC_BUILDER_IMAGE;
  const containerfile = [`FROM ${base}`, ...fillRoot(source), 'COPY srv/ /srv/', 'USER 65532', 'ENTRYPOINT []'];
  const reference = await ensureImage(workshop, {
    name: 'testclient',
    version: 'dev',
    inputs: { files, containerfile, node: source === 'source' ? (await pinnedNode()).version : undefined },
    build: async (target, folder, step) => {
      await mkdir(path.join(folder, 'srv'));
      for (const file of SERVER_FILES) {
        await copyFile(path.join(REPOSITORY, SERVER_FOLDER, file), path.join(folder, 'srv', file));
      }
      if (source === 'source') await copyFile((await pinnedNode()).file, path.join(folder, 'node'));
      await buildImage(workshop.engine, { reference: target, folder, containerfile }, step);
    },
  });
  await run(workshop.engine.command, ['tag', reference, TEST_CLIENT_IMAGE]);
  return TEST_CLIENT_IMAGE;
}

/** The base that is built here has the packages and lacks node; the public one the reverse. */
function fillRoot(source: ImageSource): string[] {
  if (source === 'source') return ['COPY node /usr/local/bin/node'];
  const install = `apt-get update && apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`;
  return [`RUN ${install} && rm -rf /var/lib/apt/lists/*`];
}
