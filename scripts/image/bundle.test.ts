import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run, tryRun } from '../lib/exec.ts';
import { bundle, bundleCanary } from './bundle.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bundle-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the file runs alone, also where a dependency requires something at run time', async () => {
  await writeFile(path.join(folder, 'old.cjs'), 'module.exports = (name) => require(name).EOL.length;');
  await writeFile(
    path.join(folder, 'main.ts'),
    "import old from './old.cjs';\nconsole.log(old('node:os') as number);\n",
  );
  const { code } = await bundle(path.join(folder, 'main.ts'));
  const alone = path.join(folder, 'alone.mjs');
  await writeFile(alone, code);
  await rm(path.join(folder, 'old.cjs'));
  expect(await run(process.execPath, [alone])).toBe('1\n');
});

test('the same sources give the same bytes', async () => {
  await writeFile(path.join(folder, 'main.ts'), 'console.log(1);\n');
  const [first, second] = [await bundle(path.join(folder, 'main.ts')), await bundle(path.join(folder, 'main.ts'))];
  expect(Buffer.from(first.code).equals(second.code)).toBe(true);
});

test('what runs in the pods of the probe is small, and needs nothing beside it', async () => {
  const { code } = await bundleCanary();
  expect(code.length).toBeLessThan(20_000);
  const alone = path.join(folder, 'canary.mjs');
  await writeFile(alone, code);
  const { code: exit, stderr } = await tryRun(process.execPath, [alone, '--try', 'gopher://x']);
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining('"gopher://x" is no attempt') });
});
