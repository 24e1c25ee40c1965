/** Everything that is given out for one version, in one folder. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PrivateKey } from 'openpgp';
import { changelogOf } from '../lib/changelog.ts';
import { hashFile } from '../lib/hash.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { packageChart } from './chart-package.ts';
import { chartSources } from './chart-sources.ts';
import { buildReleaseImage, type ReleasedImage } from './image-archive.ts';
import { CHECKSUMS, earlierRelease, putInPlace } from './out-folder.ts';
import { signBeside, writeProvenance } from './provenance.ts';
import { sbomOf } from './sbom.ts';

export interface Release {
  readonly version: string;
  readonly charts: readonly string[];
  readonly image: ReleasedImage;
  /** Every file of the folder, sorted. */
  readonly files: readonly string[];
}

export interface ReleaseOptions {
  readonly version: string;
  /** Holds nothing or an earlier release, which is replaced once this one is whole. */
  readonly out: string;
  /** For what is in between; stays until the caller removes it. */
  readonly work: string;
  readonly key?: PrivateKey | undefined;
  /** Where charts, CRDs and changes are taken from: this repository, but for tests. */
  readonly repository?: string;
  /** One step of several seconds. */
  readonly step: <T>(name: string, work: (logPath: string) => Promise<T>) => Promise<T>;
}

export async function buildRelease(options: ReleaseOptions): Promise<Release> {
  const { version, out, work, key, step, repository = REPOSITORY } = options;
  const changes = changelogOf(await readFile(path.join(repository, 'CHANGELOG.md'), 'utf8'), version);
  const sources = await chartSources(repository, version);
  // Before the build, which takes a while, and once more after it.
  await earlierRelease(out);
  const made = path.join(work, 'release');
  await mkdir(made, { recursive: true });
  const charts = await step('charts', async () => {
    const packed: string[] = [];
    for (const source of sources) {
      const chart = await packageChart(source, version, { work, out: made });
      if (key !== undefined) await writeProvenance(chart, source.files.get('Chart.yaml') ?? '', key);
      packed.push(chart);
    }
    return packed;
  });
  const image = await step('image', (logPath) => buildReleaseImage(version, made, work, logPath));
  await writeFile(path.join(made, `agentplane-${version}.cdx.json`), await sbomOf(image.parts));
  await writeFile(path.join(made, `CHANGES-${version}.md`), `${changes.text}\n`);
  await writeFile(path.join(made, `image-${version}.digest`), `${image.digest}\n`);
  await writeChecksums(made, key);
  const files = await putInPlace(made, out);
  const placed = (file: string): string => path.join(out, path.basename(file));
  return { version, charts: charts.map(placed), image: { ...image, archive: placed(image.archive) }, files };
}

async function writeChecksums(folder: string, key: PrivateKey | undefined): Promise<void> {
  const files = (await readdir(folder)).sort();
  const sums = await Promise.all(files.map(async (file) => `${await hashFile(path.join(folder, file))}  ${file}\n`));
  await writeFile(path.join(folder, CHECKSUMS), sums.join(''));
  if (key !== undefined) await signBeside(path.join(folder, CHECKSUMS), key);
}
