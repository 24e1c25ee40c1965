import { mkdtemp, readdir, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Artefact, artefactPath, type Cache, ensureArtefact, openCache } from './cache.ts';
import { createProgress, type Progress } from './progress.ts';

let cache: Cache;
let progress: Progress;
let lines: string[];
let builds: number;

beforeEach(async () => {
  cache = { root: await mkdtemp(path.join(tmpdir(), 'cache-')) };
  lines = [];
  builds = 0;
  progress = createProgress({
    logFolder: path.join(cache.root, 'logs'),
    write: (line) => lines.push(line),
    now: () => 0,
  });
});
afterEach(() => rm(cache.root, { recursive: true }));

function artefact(inputs: unknown = 'a', build?: Artefact['build']): Artefact {
  const count = async (target: string): Promise<void> => {
    builds += 1;
    await writeFile(target, `build ${builds}`);
  };
  return { name: 'tool', version: '1.0.0', fileName: 'tool', inputs, build: build ?? count };
}

test('is built once, and found again', async () => {
  const file = await ensureArtefact(cache, artefact(), progress);
  expect(await ensureArtefact(cache, artefact(), progress)).toBe(file);
  expect(await readFile(file, 'utf8')).toBe('build 1');
  expect(builds).toBe(1);
});

test('other inputs are another artefact, and the first one stays', async () => {
  const first = await ensureArtefact(cache, artefact('a'), progress);
  const second = await ensureArtefact(cache, artefact('b'), progress);
  expect(second).not.toBe(first);
  expect(await ensureArtefact(cache, artefact('a'), progress)).toBe(first);
  expect(builds).toBe(2);
});

test.each([
  ['a shortened file', (file: string) => truncate(file, 3)],
  ['a file of the same size with other bytes', (file: string) => writeFile(file, 'build X')],
  ['a file whose stamp was never written', (file: string) => unlink(`${file}.stamp`)],
  ['a stamp that was cut short', (file: string) => writeFile(`${file}.stamp`, '{"si')],
])('%s is built again, and said to be', async (_, damage) => {
  const file = await ensureArtefact(cache, artefact(), progress);
  await damage(file);
  await ensureArtefact(cache, artefact(), progress);
  expect(await readFile(file, 'utf8')).toBe('build 2');
  expect(lines.join('\n')).toContain('is damaged: building it again');
});

test('a build that fails leaves nothing that looks finished, names its log, and does not block the next', async () => {
  const half = artefact('a', async (target, step) => {
    await writeFile(target, 'half');
    await writeFile(step.logPath, 'compiling\ndisk full\n');
    throw new Error('exit code 1');
  });
  const failure = await ensureArtefact(cache, half, progress).catch((error: Error) => error);
  expect(failure).toMatchObject({ reason: 'StepFailed' });
  const log = path.join(cache.root, 'logs/build-tool-1-0-0.log');
  for (const part of ['build tool 1.0.0', 'exit code 1', log, 'disk full']) expect(String(failure)).toContain(part);
  expect(await readdir(path.dirname(artefactPath(cache, half)))).not.toContain('tool');
  expect(await readFile(await ensureArtefact(cache, artefact(), progress), 'utf8')).toBe('build 1');
});

test('two callers at once cause one build', async () => {
  await Promise.all([ensureArtefact(cache, artefact(), progress), ensureArtefact(cache, artefact(), progress)]);
  expect(builds).toBe(1);
});

test('the folder follows AGENTPLANE_CACHE, then XDG_CACHE_HOME, then the home folder', () => {
  expect(openCache({ AGENTPLANE_CACHE: '/a', XDG_CACHE_HOME: '/x' }).root).toBe('/a');
  expect(openCache({ XDG_CACHE_HOME: '/x' }).root).toBe('/x/agentplane');
  expect(openCache({}).root).toMatch(/\/\.cache\/agentplane$/);
});
