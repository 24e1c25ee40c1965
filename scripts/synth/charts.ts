import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { CrdManifest } from '../../constructs/crds-chart.ts';
import { agentplaneDefinition } from './chart-agentplane.ts';
import { clusterDefinition } from './chart-cluster.ts';
import { crdsDefinition } from './chart-crds.ts';
import type { ChartDefinition } from './chart-definition.ts';

/** Every chart, in the order in which they are installed. All have the version of package.json. */
export async function loadCharts(repository: string): Promise<readonly ChartDefinition[]> {
  const version = await packageVersion(repository);
  return [
    crdsDefinition(version, await loadCrds(repository)),
    clusterDefinition(version),
    agentplaneDefinition(version),
  ];
}

export async function packageVersion(repository: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

async function loadCrds(repository: string): Promise<readonly CrdManifest[]> {
  const folder = path.join(repository, 'crds');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  return Promise.all(files.map(async (name) => parse(await readFile(path.join(folder, name), 'utf8')) as CrdManifest));
}
