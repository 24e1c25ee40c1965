import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Engine } from './engine.ts';
import { archiveName, archivesFolder, ensureArchive, isArchiveOf } from './image-archives.ts';

/** Knows one image, whose archive is the number of times that it was written. */
async function fakeEngine(folder: string, id: string): Promise<Engine> {
  const command = path.join(folder, 'engine');
  const save = `echo saved >> ${folder}/log; wc -l < ${folder}/log > "$3"`;
  await writeFile(command, `#!/bin/sh\ncase $1 in image) echo sha256:${id};; save) ${save};; esac\n`, { mode: 0o755 });
  return { command } as Engine;
}

test('an image is written once, and again when it is another, which takes the place of the one before', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'agentplane-archives-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const cache = { root };
  const folder = await archivesFolder(cache);
  await writeFile(path.join(folder, 'client-other-aaaaaaaaaaaa.tar'), 'of another name');
  const ensure = async (id: string) => {
    const engine = await fakeEngine(root, id);
    return ensureArchive({ cache, engine } as never, 'localhost/agentplane/client:dev', {
      logPath: path.join(root, 'steps'),
    } as never);
  };
  const first = await ensure('1'.repeat(64));
  expect(await ensure('1'.repeat(64))).toBe(first);
  expect((await readFile(path.join(folder, first), 'utf8')).trim()).toBe('1');
  const second = await ensure('2'.repeat(64));
  expect((await readdir(folder)).sort()).toEqual([second, 'client-other-aaaaaaaaaaaa.tar'].sort());
});

test('names say which image an archive holds', () => {
  const name = archiveName('client', `sha256:${'a'.repeat(64)}`);
  expect(name).toBe('client-aaaaaaaaaaaa.tar');
  expect(isArchiveOf('client', name)).toBe(true);
  expect(isArchiveOf('cli', name)).toBe(false);
  expect(isArchiveOf('client', 'client-other-aaaaaaaaaaaa.tar')).toBe(false);
});
