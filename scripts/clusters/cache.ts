import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { hashFile, hashValue } from '../lib/hash.ts';
import { withLock } from '../lib/lock.ts';
import type { Progress, Step } from './progress.ts';

/** The folder for everything that is built, outside the repository so that a fresh clone finds it again. */
export interface Cache {
  readonly root: string;
}

/** A file that is expensive to make and fully determined by its inputs. */
export interface Artefact {
  readonly name: string;
  readonly version: string;
  /** File name inside the artefact's own folder. */
  readonly fileName: string;
  /** Any JSON: whatever decides the result. A change of it is a different artefact. */
  readonly inputs: unknown;
  readonly build: (target: string, step: Step) => Promise<void>;
}

interface Stamp {
  readonly size: number;
  readonly sha256: string;
}

/** Longest wait for another process that builds: a cold build of everything on two cores, twice over. */
const BUILD_LOCK_MS = 90 * 60_000;

/** `AGENTPLANE_CACHE`, else `agentplane` in the XDG cache folder. */
export function openCache(env: NodeJS.ProcessEnv): Cache {
  const base = env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return { root: path.resolve(env.AGENTPLANE_CACHE || path.join(base, 'agentplane')) };
}

/** Where the artefact lives, whether or not it has been built. */
export function artefactPath(cache: Cache, artefact: Omit<Artefact, 'build'>): string {
  const key = artefactKey(artefact);
  return path.join(cache.root, 'artefacts', artefact.name, `${artefact.version}-${key}`, artefact.fileName);
}

/** Twelve hex digits that name the inputs. */
export function artefactKey(artefact: Omit<Artefact, 'build'>): string {
  return hashValue([artefact.version, artefact.inputs, process.platform, process.arch]).slice(0, 12);
}

/** Whether the artefact is there and undamaged: size and sha256 as they were when it was built. */
export async function isIntact(file: string): Promise<boolean> {
  const stamp = await readStamp(file);
  if (stamp === undefined) return false;
  const found = await stat(file).catch(() => undefined);
  return found?.size === stamp.size && (await hashFile(file)) === stamp.sha256;
}

/**
 * Returns the path of the artefact, and builds it first when it is missing, half-built or damaged.
 * One build runs at a time per cache: two at once would only slow each other down.
 */
export async function ensureArtefact(cache: Cache, artefact: Artefact, progress: Progress): Promise<string> {
  const file = artefactPath(cache, artefact);
  if (await isIntact(file)) return file;
  return withBuildLock(cache, progress, async () => {
    if (await isIntact(file)) return file;
    if ((await stat(file).catch(() => undefined)) !== undefined) progress.note(`${file} is damaged: building it again`);
    await progress.step(`build ${artefact.name} ${artefact.version}`, (step) => build(file, artefact, step));
    return file;
  });
}

/** For builds that leave something else than one file, such as a container image. */
export function withBuildLock<T>(cache: Cache, progress: Progress, work: () => Promise<T>): Promise<T> {
  const onWait = (holder: number): void => progress.note(`waiting for the build of process ${holder}`);
  return withLock(path.join(cache.root, 'locks', 'build'), { timeoutMs: BUILD_LOCK_MS, onWait }, work);
}

/** The stamp is written last, so an artefact without one was interrupted. */
async function build(file: string, artefact: Artefact, step: Step): Promise<void> {
  await rm(path.dirname(file), { recursive: true, force: true });
  await mkdir(path.dirname(file), { recursive: true });
  const partial = path.join(path.dirname(file), `partial-${artefact.fileName}`);
  await artefact.build(partial, step);
  const stamp: Stamp = { size: (await stat(partial)).size, sha256: await hashFile(partial) };
  await rename(partial, file);
  await writeFile(`${file}.stamp.partial`, JSON.stringify(stamp));
  await rename(`${file}.stamp.partial`, `${file}.stamp`);
}

async function readStamp(file: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(`${file}.stamp`, 'utf8')) as Stamp;
  } catch {
    return undefined;
  }
}
