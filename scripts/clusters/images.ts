import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run, succeeds } from '../lib/exec.ts';
import { hashValue } from '../lib/hash.ts';
import { type Cache, withBuildLock } from './cache.ts';
import type { Engine } from './engine.ts';
import type { Progress, Step } from './progress.ts';

/** Where images are made and kept, and who is told about it. */
export interface Workshop {
  readonly cache: Cache;
  readonly engine: Engine;
  readonly progress: Progress;
}

export interface ImageRecipe {
  /** Last part of the repository name, under `localhost/agentplane/`. */
  readonly name: string;
  readonly version: string;
  /** Any JSON: whatever decides the content. It ends up in the tag, so an outdated image is never mistaken for a new one. */
  readonly inputs: unknown;
  /** Makes the image under exactly this reference. `folder` is empty, and removed afterwards. */
  readonly build: (reference: string, folder: string, step: Step) => Promise<void>;
}

/** The reference of the image, whether or not it exists. */
export function imageReference(recipe: Omit<ImageRecipe, 'build'>): string {
  return `localhost/agentplane/${recipe.name}:${recipe.version}-${hashValue([recipe.version, recipe.inputs]).slice(0, 12)}`;
}

/**
 * Returns the reference of the image, and builds it when the engine has none. An engine names only whole images.
 * What it is made of must be ensured before: the build lock is not re-entrant.
 */
export async function ensureImage(workshop: Workshop, recipe: ImageRecipe): Promise<string> {
  const reference = imageReference(recipe);
  if (await imageExists(workshop.engine, reference)) return reference;
  return withBuildLock(workshop.cache, workshop.progress, async () => {
    if (await imageExists(workshop.engine, reference)) return reference;
    await workshop.progress.step(`image ${recipe.name} ${recipe.version}`, async (step) => {
      await inTemporaryFolder(workshop.cache, (folder) => recipe.build(reference, folder, step));
    });
    return reference;
  });
}

export function imageExists(engine: Engine, reference: string): Promise<boolean> {
  return succeeds(engine.command, ['image', 'inspect', reference]);
}

/** What the owner may read and start in the folder, everybody may, whatever the umask was: programs in an image run as somebody else. */
export async function readableByAll(folder: string, { logPath }: Pick<Step, 'logPath'>): Promise<void> {
  await run('chmod', ['-R', 'go=u-w', folder], { logPath });
}

/** Builds from a Containerfile's text with `folder` as context. */
export async function buildImage(
  engine: Engine,
  image: { readonly reference: string; readonly folder: string; readonly containerfile: readonly string[] },
  step: Step,
): Promise<void> {
  const file = path.join(image.folder, 'Containerfile');
  await writeFile(file, `${image.containerfile.join('\n')}\n`);
  await readableByAll(image.folder, step);
  // Layers of intermediate steps would only fill the disk: whole images are what is cached here.
  const layers = engine.command === 'podman' ? ['--layers=false'] : ['--no-cache'];
  await run(engine.command, ['build', ...layers, '-t', image.reference, '-f', file, image.folder], {
    logPath: step.logPath,
  });
}

/** Writes the image to a docker archive, as `kind load image-archive` reads it. */
export async function saveImage(engine: Engine, reference: string, file: string, step?: Step): Promise<void> {
  await rm(file, { force: true });
  await run(engine.command, ['save', '-o', file, reference], step === undefined ? {} : { logPath: step.logPath });
}

/** Under the cache, not under /tmp: a root file system of a node image does not fit into memory. */
export async function inTemporaryFolder<T>(cache: Cache, work: (folder: string) => Promise<T>): Promise<T> {
  const parent = path.join(cache.root, 'tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'build-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
