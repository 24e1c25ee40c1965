import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ImageSource } from '../clusters/image-source.ts';
import { buildImage, ensureImage, type Workshop } from '../clusters/images.ts';
import { Kind } from '../clusters/kind.ts';
import type { ClusterState } from '../clusters/state.ts';
import { run } from '../lib/exec.ts';
import { hashPaths, hashValue } from '../lib/hash.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { bundle, bundleCanary } from './bundle.ts';
import { ensureRuntimeRoot, USER } from './runtime-root.ts';

/** The name under which the newest build can always be found. */
export const AGENTPLANE_IMAGE = { repository: 'localhost/agentplane/agentplane', tag: 'dev' } as const;

/** Of one build: the tag changes with the content, so that a Deployment that names it rolls over. */
export interface BuiltImage {
  readonly repository: string;
  readonly tag: string;
  /** `repository:tag`. */
  readonly reference: string;
}

/** As images/Containerfile says it. SIGUSR1 would open Node's inspector inside the pod. */
export const FINAL_CONFIG = {
  User: `${USER}:${USER}`,
  Env: ['NODE_ENV=production'],
  WorkingDir: '/app',
  Entrypoint: ['/usr/local/bin/node', '--disable-sigusr1', '/app/agentplane.mjs'],
} as const;

const FINAL_STAGE = [
  'COPY agentplane.mjs canary.mjs /app/',
  ...FINAL_CONFIG.Env.map((variable) => `ENV ${variable}`),
  `USER ${FINAL_CONFIG.User}`,
  `WORKDIR ${FINAL_CONFIG.WorkingDir}`,
  `ENTRYPOINT ${JSON.stringify(FINAL_CONFIG.Entrypoint)}`,
];

/** Returns the AgentPlane image of the present sources, also tagged `dev`; built only when they give another bundle. */
export async function ensureAgentPlaneImage(workshop: Workshop, source: ImageSource): Promise<BuiltImage> {
  const reference = source === 'source' ? await fromOwnRoot(workshop) : await fromContainerfile(workshop);
  const newest = `${AGENTPLANE_IMAGE.repository}:${AGENTPLANE_IMAGE.tag}`;
  await run(workshop.engine.command, ['tag', reference, newest]);
  return { repository: AGENTPLANE_IMAGE.repository, tag: reference.split(':').at(-1) ?? '', reference };
}

/** Builds the image when needed and makes it known to the cluster's node, under its own tag and as `dev`. */
export async function deliverAgentPlane(workshop: Workshop, cluster: ClusterState): Promise<BuiltImage> {
  const built = await ensureAgentPlaneImage(workshop, cluster.source);
  await new Kind(cluster.tools.kind, workshop).loadImage(cluster, built.reference);
  const names = [built.reference, `${AGENTPLANE_IMAGE.repository}:${AGENTPLANE_IMAGE.tag}`];
  const retag = ['ctr', '-n', 'k8s.io', 'images', 'tag', '--force', ...names];
  await run(workshop.engine.command, ['exec', cluster.node, ...retag]);
  return built;
}

async function fromOwnRoot(workshop: Workshop): Promise<string> {
  const { code } = await bundle();
  const canary = await bundleCanary();
  const root = await ensureRuntimeRoot(workshop);
  const containerfile = [`FROM ${root}`, ...FINAL_STAGE];
  return ensureImage(workshop, {
    name: 'agentplane',
    version: 'dev',
    inputs: {
      containerfile,
      bundles: hashValue([code, canary.code].map((text) => Buffer.from(text).toString('base64'))),
    },
    build: async (reference, folder, step) => {
      await writeFile(path.join(folder, 'agentplane.mjs'), code);
      await writeFile(path.join(folder, 'canary.mjs'), canary.code);
      await buildImage(workshop.engine, { reference, folder, containerfile }, step);
    },
  });
}

/** What goes into the image by way of images/Containerfile. */
const SOURCES = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'images/Containerfile',
  'scripts/image/bundle.ts',
];

async function fromContainerfile(workshop: Workshop): Promise<string> {
  return ensureImage(workshop, {
    name: 'agentplane',
    version: 'dev',
    inputs: { sources: await hashPaths(REPOSITORY, SOURCES) },
    build: async (reference, _folder, step) => {
      const file = path.join(REPOSITORY, 'images/Containerfile');
      await run(workshop.engine.command, ['build', '-t', reference, '-f', file, REPOSITORY], { logPath: step.logPath });
    },
  });
}
