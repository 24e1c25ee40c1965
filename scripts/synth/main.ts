/**
 * Writes charts/, rbac/*.yaml and rbac/ACCESS.md from constructs/ and rbac/rules.ts, and the health checks of docs/gitops/. `--check` writes nothing, and fails
 * when a committed file is stale, missing, or not generated any more.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { changelogOf } from '../lib/changelog.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { chartFiles, type Files } from './chart-files.ts';
import { loadCharts, packageVersion } from './charts.ts';
import { gitopsFiles } from './gitops-files.ts';
import { rbacFiles } from './rbac-files.ts';

async function generate(): Promise<Files> {
  const charts = await loadCharts(REPOSITORY);
  const version = await packageVersion(REPOSITORY);
  const changes = changelogOf(await readFile(path.join(REPOSITORY, 'CHANGELOG.md'), 'utf8'), version).entries;
  return new Map([
    ...charts.flatMap((chart) => [...chartFiles(chart, version, changes)]),
    ...rbacFiles(charts),
    ...(await gitopsFiles()),
  ]);
}

/** Files that exist where only generated ones may: charts/ as a whole, and what is not a source in rbac/. */
async function present(): Promise<string[]> {
  const charts = await filesUnder('charts');
  const rbac = (await filesUnder('rbac')).filter((file) => !file.endsWith('.ts'));
  return [...charts, ...rbac];
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(REPOSITORY, folder), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(REPOSITORY, path.join(entry.parentPath, entry.name)));
}

async function staleFiles(wanted: Files): Promise<string[]> {
  const stale = (await present()).filter((file) => !wanted.has(file));
  for (const [file, text] of wanted) {
    const current = await readFile(path.join(REPOSITORY, file), 'utf8').catch(() => undefined);
    if (current !== text) stale.push(file);
  }
  return stale.sort();
}

async function rewrite(wanted: Files, stale: readonly string[]): Promise<void> {
  for (const file of stale) {
    const target = path.join(REPOSITORY, file);
    const text = wanted.get(file);
    if (text === undefined) {
      await rm(target);
      continue;
    }
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

const wanted = await generate();
const stale = await staleFiles(wanted);
if (process.argv.includes('--check')) {
  for (const file of stale) console.error(`${file} is stale: run \`npm run generate\``);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  await rewrite(wanted, stale);
  console.log(`charts/, rbac/ and docs/gitops/: ${wanted.size} files, ${stale.length} rewritten`);
}
