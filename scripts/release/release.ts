/** Everything that is given out for one version, in one folder. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PrivateKey } from 'openpgp';
import { changelogOf } from '../lib/changelog.ts';
import { messageOf, ScriptError } from '../lib/errors.ts';
import { hashFile } from '../lib/hash.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { packageChart } from './chart-package.ts';
import { chartSources } from './chart-sources.ts';
import { buildReleaseImage, type ReleasedImage } from './image-archive.ts';
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
  /** Is emptied first. */
  readonly out: string;
  /** For what is in between; stays until the caller removes it. */
  readonly work: string;
  readonly key?: PrivateKey | undefined;
  /** Where charts, CRDs and changes are taken from: this repository, but for tests. */
  readonly repository?: string;
  /** One step of several seconds. */
  readonly step: <T>(name: string, work: (logPath: string) => Promise<T>) => Promise<T>;
}

const CHECKSUMS = 'SHA256SUMS';

export async function buildRelease(options: ReleaseOptions): Promise<Release> {
  const { version, out, work, key, step, repository = REPOSITORY } = options;
  const changes = changelogOf(await readFile(path.join(repository, 'CHANGELOG.md'), 'utf8'), version);
  const sources = await chartSources(repository, version);
  await emptyFolder(out);
  const charts = await step('charts', async () => {
    const packed: string[] = [];
    for (const source of sources) {
      const chart = await packageChart(source, version, { work, out });
      if (key !== undefined) await writeProvenance(chart, source.files.get('Chart.yaml') ?? '', key);
      packed.push(chart);
    }
    return packed;
  });
  const image = await step('image', (logPath) => buildReleaseImage(version, out, work, logPath));
  await writeFile(path.join(out, `agentplane-${version}.cdx.json`), await sbomOf(image.parts));
  await writeFile(path.join(out, `CHANGES-${version}.md`), `${changes.text}\n`);
  await writeFile(path.join(out, `image-${version}.digest`), `${image.digest}\n`);
  const summed = (await readdir(out)).sort();
  const sums = await Promise.all(summed.map(async (file) => `${await hashFile(path.join(out, file))}  ${file}\n`));
  await writeFile(path.join(out, CHECKSUMS), sums.join(''));
  if (key !== undefined) await signBeside(path.join(out, CHECKSUMS), key);
  return { version, charts, image, files: (await readdir(out)).sort() };
}

/** Only what an earlier release has left: never a folder that holds something else. */
async function emptyFolder(out: string): Promise<void> {
  const found = await readdir(out).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw new ScriptError('BadUsage', `--out ${out}: ${messageOf(error)}`, { cause: error });
  });
  if (found.length > 0 && !found.includes(CHECKSUMS)) {
    throw new ScriptError('BadUsage', `--out ${out}: it holds files that are no release: name an empty folder`);
  }
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
}
