/** The charts as generation writes them. On the disk they may be of the version before, or have beside them what an editor has left. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { changelogOf } from '../lib/changelog.ts';
import { ScriptError } from '../lib/errors.ts';
import { chartFiles } from '../synth/chart-files.ts';
import { loadCharts } from '../synth/charts.ts';
import { filesIn } from './archive.ts';

export interface ChartSource {
  readonly name: string;
  /** Path inside the chart to content: what customers get. */
  readonly files: ReadonlyMap<string, string>;
}

/** For chart-testing, not for customers. */
const LEFT_OUT = /^ci\//;

/** Throws a `ScriptError` unless charts/ holds just this: what was reviewed and tested is what is released. */
export async function chartSources(repository: string, version: string): Promise<readonly ChartSource[]> {
  const { entries } = changelogOf(await readFile(path.join(repository, 'CHANGELOG.md'), 'utf8'), version);
  const sources = (await loadCharts(repository)).map((definition): ChartSource => {
    const files = [...chartFiles(definition, version, entries)].map(
      ([file, text]) => [path.relative(`charts/${definition.name}`, file), text] as const,
    );
    return { name: definition.name, files: new Map(files.filter(([file]) => !LEFT_OUT.test(file))) };
  });
  // First and alone: where generation was forgotten, every file differs, and this says why.
  const outdated = await Promise.all(sources.map(({ name }) => otherVersion(repository, name, version)));
  refuse(outdated.flat());
  refuse((await Promise.all(sources.map((source) => differences(repository, source)))).flat());
  return sources;
}

function refuse(complaints: readonly string[]): void {
  if (complaints.length > 0) throw new ScriptError('BadUsage', `nothing is built:\n  ${complaints.join('\n  ')}`);
}

/** `helm push` takes the tag from this file: with an older version in it, what is published under that one would be overwritten. */
async function otherVersion(repository: string, name: string, version: string): Promise<readonly string[]> {
  const file = `charts/${name}/Chart.yaml`;
  const text = await readIfThere(path.join(repository, file));
  if (text === undefined) return [];
  const chart = parseDocument(text);
  const others = ['version', 'appVersion'].filter((field) => chart.get(field) !== version);
  if (others.length === 0) return [];
  const said = others.map((field) => `${field} ${String(chart.get(field))}`).join(' and ');
  return [`${file} says ${said}, but ${version} is to be released: run \`npm run generate\``];
}

async function differences(repository: string, { name, files }: ChartSource): Promise<readonly string[]> {
  const folder = path.join(repository, 'charts', name);
  const present = await filesIn(folder).catch(() => []);
  const foreign = present
    .filter((file) => !files.has(file) && !LEFT_OUT.test(file))
    // Generation would delete it, which whoever wrote it may not want.
    .map((file) => `charts/${name}/${file} is no file of the chart: move it elsewhere`);
  const stale = await Promise.all(
    [...files].map(async ([file, text]) => {
      const current = await readIfThere(path.join(folder, file));
      if (current === text) return [];
      const how = current === undefined ? 'is missing' : 'differs';
      return [`charts/${name}/${file} ${how}: run \`npm run generate\``];
    }),
  );
  return [...foreign, ...stale.flat()];
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
