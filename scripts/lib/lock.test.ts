import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdLock, withLock } from './lock.ts';

let folder = '';
let file = '';
const patient = { timeoutMs: 30_000 };

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lock-'));
  file = path.join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true }));

test('two holders never overlap, and nothing is left behind', async () => {
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((done) => setImmediate(done));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, patient, work)));
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('work that fails releases the lock', async () => {
  await expect(withLock(file, patient, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withLock(file, { timeoutMs: 0 }, () => Promise.resolve('next'))).toBe('next');
});

test('a lock that is held keeps others out until it is given back', async () => {
  const giveBack = await holdLock(file, { timeoutMs: 0 });
  await expect(holdLock(file, { timeoutMs: 0 })).rejects.toMatchObject({ reason: 'LockHeld' });
  await giveBack();
  expect(await withLock(file, { timeoutMs: 0 }, () => Promise.resolve('next'))).toBe('next');
});

test('a lock of a dead process is taken over', async () => {
  const { pid } = spawnSync('true');
  await writeFile(file, JSON.stringify({ pid, started: '1', nonce: 'dead' }));
  expect(await withLock(file, { timeoutMs: 0 }, () => Promise.resolve('mine'))).toBe('mine');
  expect(await readdir(folder)).toEqual([]);
});

test.runIf(process.platform === 'linux')('a lock of an earlier process with the same id is taken over', async () => {
  await writeFile(file, JSON.stringify({ pid: process.pid, started: '1', nonce: 'earlier' }));
  expect(await withLock(file, { timeoutMs: 0 }, () => Promise.resolve('mine'))).toBe('mine');
});

test('a lock that cannot be read is taken over', async () => {
  await writeFile(file, '{"pid": 12');
  expect(await withLock(file, { timeoutMs: 0 }, () => Promise.resolve('mine'))).toBe('mine');
});

test('a live holder is waited for, named once, and not robbed', async () => {
  const waits: number[] = [];
  await withLock(file, patient, async () => {
    const impatient = { timeoutMs: 250, onWait: (pid: number) => waits.push(pid) };
    await expect(withLock(file, impatient, () => Promise.resolve())).rejects.toMatchObject({ reason: 'LockHeld' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ pid: process.pid });
  });
  expect(waits).toEqual([process.pid]);
});
