/** Writes crds/ from src/api. `--check` writes nothing and fails when a committed file is stale. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { crdOf } from '../src/api/crd.ts';
import { KINDS } from '../src/api/kinds.ts';

const HEADER = '# GENERATED from src/api by scripts/crds.ts. Do not edit: run `npm run generate`.\n';
const folder = join(import.meta.dirname, '..', 'crds');

const wanted = new Map(
  KINDS.map((kind) => [
    `${kind.group}_${kind.plural}.yaml`,
    HEADER + stringify(crdOf(kind), { lineWidth: 0, sortMapEntries: true, aliasDuplicateObjects: false }),
  ]),
);

async function staleFiles(): Promise<string[]> {
  const present = await readdir(folder).catch(() => [] as string[]);
  const stale = present.filter((name) => !wanted.has(name));
  for (const [name, text] of wanted) {
    const current = await readFile(join(folder, name), 'utf8').catch(() => '');
    if (current !== text) stale.push(name);
  }
  return stale.sort();
}

const stale = await staleFiles();
if (process.argv.includes('--check')) {
  for (const name of stale) console.error(`crds/${name} is stale: run \`npm run generate\``);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  await mkdir(folder, { recursive: true });
  for (const name of stale) await rm(join(folder, name), { force: true });
  for (const [name, text] of wanted) await writeFile(join(folder, name), text);
  console.log(`crds/: ${wanted.size} kinds${stale.length === 0 ? ', unchanged' : `, rewrote ${stale.join(', ')}`}`);
}
