import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hashPaths, hashValue } from './hash.ts';

test('the order of keys does not matter, the order of items and every value does', () => {
  expect(hashValue({ a: 1, b: { c: 2, d: 3 } })).toBe(hashValue({ b: { d: 3, c: 2 }, a: 1 }));
  expect(hashValue([1, 2])).not.toBe(hashValue([2, 1]));
  expect(hashValue({ a: 1 })).not.toBe(hashValue({ a: 2 }));
});

test('a change of a byte or of a name anywhere below a folder is seen', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'hash-'));
  await mkdir(path.join(root, 'tree/deep'), { recursive: true });
  await writeFile(path.join(root, 'tree/deep/one'), '1');
  await writeFile(path.join(root, 'lone'), 'x');
  const hashes = [await hashPaths(root, ['tree', 'lone'])];
  expect(await hashPaths(root, ['lone', 'tree'])).toBe(hashes[0]);
  await writeFile(path.join(root, 'tree/deep/one'), '2');
  hashes.push(await hashPaths(root, ['tree', 'lone']));
  await writeFile(path.join(root, 'tree/two'), '');
  hashes.push(await hashPaths(root, ['tree', 'lone']));
  expect(new Set(hashes).size).toBe(3);
  await rm(root, { recursive: true });
});
