/** A chart as Helm takes it: what `helm package` makes, but with the same bytes each time. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../lib/repository.ts';
import { filesIn, gzipped, tarOf } from './archive.ts';

/** For chart-testing, not for customers. */
const LEFT_OUT = /^ci\//;

/** Returns the path of `<name>-<version>.tgz`. */
export async function packageChart(name: string, version: string, out: string): Promise<string> {
  const folder = path.join(REPOSITORY, 'charts', name);
  const files = (await filesIn(folder)).filter((file) => !LEFT_OUT.test(file));
  // Helm reads Chart.yaml wherever it stands; first is where it looks.
  const names = ['Chart.yaml', ...files.filter((file) => file !== 'Chart.yaml')];
  const target = path.join(out, `${name}-${version}.tgz`);
  await writeFile(target, gzipped(await tarOf({ folder, names, prefix: name })));
  return target;
}
