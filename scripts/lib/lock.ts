import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ScriptError } from './errors.ts';

export interface LockOptions {
  /** Milliseconds to wait for another holder. */
  readonly timeoutMs: number;
  /** Told once, with the holder's process id, when there is one to wait for. */
  readonly onWait?: (holder: number) => void;
}

/** The file of a lock that all clones and caches of one user on this machine share. */
export function machineLock(name: string): string {
  return path.join(tmpdir(), `agentplane-locks-${userInfo().uid}`, name);
}

interface Holder {
  readonly pid: number;
  /** Start time of the process in clock ticks, so that a reused process id does not look alive. Empty where /proc is absent. */
  readonly started: string;
  readonly nonce: string;
}

/**
 * Runs `work` while holding the lock file. A lock whose holder is dead is taken over: whatever was killed in the middle
 * of a build must not block the next one. Throws `LockHeld` when a live holder keeps it beyond the time limit.
 */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  const mine: Holder = { pid: process.pid, started: await startTime(process.pid), nonce: randomUUID() };
  await acquire(file, mine, options);
  try {
    return await work();
  } finally {
    if ((await readHolder(file))?.nonce === mine.nonce) await unlink(file);
  }
}

/** Takes the lock for longer than one call lasts. The returned function gives it back; so does the end of the process. */
export async function holdLock(file: string, options: LockOptions): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const done = withLock(file, options, () => {
    held.resolve();
    return released.promise;
  });
  // Until it is held, the only way in which it can end is that it cannot be had.
  await Promise.race([held.promise, done]);
  return async () => {
    released.resolve();
    await done;
  };
}

async function acquire(file: string, mine: Holder, options: LockOptions): Promise<void> {
  const deadline = performance.now() + options.timeoutMs;
  let told = false;
  while (!(await tryAcquire(file, mine))) {
    const holder = await readHolder(file);
    if (holder !== undefined && !(await isAlive(holder))) {
      await breakStale(file, holder);
      continue;
    }
    if (holder !== undefined && !told) {
      told = true;
      options.onWait?.(holder.pid);
    }
    if (performance.now() >= deadline) {
      throw new ScriptError(
        'LockHeld',
        `${file} is held by process ${holder?.pid ?? 'unknown'}; wait for it or end it`,
      );
    }
    await delay(200);
  }
}

/** A hard link is made whole or not at all, so no reader sees a lock without its holder. */
async function tryAcquire(file: string, mine: Holder): Promise<boolean> {
  const own = `${file}.${mine.nonce}`;
  await writeFile(own, JSON.stringify(mine));
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(own);
  }
}

/** Only one of several waiters wins the rename. One that renamed a fresh lock by accident gives it back. */
async function breakStale(file: string, stale: Holder): Promise<void> {
  const aside = `${file}.stale-${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const taken = await readHolder(aside);
  if (taken !== undefined && taken.nonce !== stale.nonce) await link(aside, file).catch(() => {});
  await unlink(aside);
}

/** Undefined when there is no lock. A lock that cannot be read counts as one whose holder is dead. */
async function readHolder(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return { pid: 0, started: '', nonce: '' };
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  if (holder.pid <= 0) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const started = await startTime(holder.pid);
  return started === '' || holder.started === '' || started === holder.started;
}

/** Field 22 of /proc/PID/stat, counted from after the command name, which may itself hold spaces (proc(5)). */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
