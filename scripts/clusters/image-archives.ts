/** Images as archives in the cache. Nodes see the folder, and read from it: an image is written once, and not for every cluster. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../lib/exec.ts';
import type { Cache } from './cache.ts';
import { saveImage, type Workshop } from './images.ts';
import type { Step } from './progress.ts';

/** Where a node has the folder. */
export const ARCHIVES_ON_NODE = '/archives';

/** Exists once this has returned. */
export async function archivesFolder(cache: Cache): Promise<string> {
  const folder = path.join(cache.root, 'archives');
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Returns the file name of the image's archive in the folder. Those of other images of the same name are removed: nothing loads them again. */
export async function ensureArchive(workshop: Workshop, reference: string, step: Step): Promise<string> {
  const { cache, engine } = workshop;
  const folder = await archivesFolder(cache);
  const id = (await run(engine.command, ['image', 'inspect', '--format', '{{.Id}}', reference])).trim();
  const name = path.basename(reference).split(':')[0] ?? '';
  const file = archiveName(name, id);
  const there = await readdir(folder);
  if (there.includes(file)) return file;
  const partial = path.join(folder, `.${file}.${process.pid}`);
  try {
    await saveImage(engine, reference, partial, step);
    await rename(partial, path.join(folder, file));
  } finally {
    await rm(partial, { force: true });
  }
  for (const old of there.filter((each) => isArchiveOf(name, each))) await rm(path.join(folder, old), { force: true });
  return file;
}

/** An image's identity is the digest of its configuration; twelve digits of it name its archive. */
export function archiveName(name: string, id: string): string {
  return `${name}-${id.replace('sha256:', '').slice(0, 12)}.tar`;
}

/** Whether the file is an archive of an image of that name. */
export function isArchiveOf(name: string, file: string): boolean {
  return file.startsWith(`${name}-`) && /^[0-9a-f]{12}\.tar$/.test(file.slice(name.length + 1));
}
