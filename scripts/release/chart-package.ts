/** A chart as Helm takes it: what `helm package` makes, but with the same bytes each time. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipped, tarOf } from './archive.ts';
import type { ChartSource } from './chart-sources.ts';

export interface PackageFolders {
  /** For what is in between. */
  readonly work: string;
  readonly out: string;
}

/** Returns the path of `<name>-<version>.tgz`. Written anew: a file of charts/ may have a mode, or be a link. */
export async function packageChart(
  { name, files }: ChartSource,
  version: string,
  { work, out }: PackageFolders,
): Promise<string> {
  const folder = path.join(work, 'charts', name);
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  const sorted = [...files.keys()].sort();
  // Helm reads Chart.yaml wherever it stands; first is where it looks.
  const names = ['Chart.yaml', ...sorted.filter((file) => file !== 'Chart.yaml')];
  const target = path.join(out, `${name}-${version}.tgz`);
  await writeFile(target, gzipped(await tarOf({ folder, names, prefix: name })));
  return target;
}
