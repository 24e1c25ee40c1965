/** A release packs the charts as they are generated for its version: nothing older, and nothing that lies beside them. */
import { chmod, copyFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { list } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changelogOf } from '../../scripts/lib/changelog.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { packageChart } from '../../scripts/release/chart-package.ts';
import { chartSources } from '../../scripts/release/chart-sources.ts';
import { buildRelease } from '../../scripts/release/release.ts';
import { chartFiles } from '../../scripts/synth/chart-files.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { PRODUCT_VERSION } from '../../src/version.ts';

const NEXT = '77.0.0';
let folder: string;
let repository: string;

const inRepository = (file: string): string => path.join(repository, file);

/** What `npm run generate` would write there. */
async function generate(version: string): Promise<void> {
  const { entries } = changelogOf(await readFile(inRepository('CHANGELOG.md'), 'utf8'), version);
  for (const chart of await loadCharts(repository)) {
    for (const [file, text] of chartFiles(chart, version, entries)) await writeFile(inRepository(file), text);
  }
}

/** Steps 1 of docs/releasing.md, but for generation. */
async function bump(): Promise<void> {
  const manifest = JSON.parse(await readFile(inRepository('package.json'), 'utf8')) as object;
  await writeFile(inRepository('package.json'), JSON.stringify({ ...manifest, version: NEXT }));
  const changelog = await readFile(inRepository('CHANGELOG.md'), 'utf8');
  const section = `## ${NEXT}\n\n### Fixed\n\n- Something.\n\n## ${PRODUCT_VERSION}\n`;
  await writeFile(inRepository('CHANGELOG.md'), changelog.replace(`## ${PRODUCT_VERSION}\n`, section));
}

/** Up to the first step, which `reached` counts: the image takes a while, and is not what is tested here. */
async function build(version: string): Promise<string> {
  const reached = new Error('what it is made of is accepted');
  const options = { repository, version, out: path.join(folder, 'out'), work: path.join(folder, 'work') };
  const step = () => Promise.reject(reached);
  return buildRelease({ ...options, step }).then(
    () => 'built',
    (error: unknown) => (error === reached ? 'accepted' : String(error)),
  );
}

/** Names inside the package of the chart, as of now, and the hash of its bytes. */
async function packed(name: string): Promise<{ readonly names: readonly string[]; readonly bytes: Buffer }> {
  const source = (await chartSources(repository, PRODUCT_VERSION)).find((each) => each.name === name);
  if (source === undefined) throw new Error(name);
  const work = await mkdtemp(path.join(folder, 'packed-'));
  const file = await packageChart(source, PRODUCT_VERSION, { work, out: work });
  const names: string[] = [];
  await list({ file, onReadEntry: (entry) => names.push(entry.path) });
  return { names, bytes: await readFile(file) };
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentplane-release-charts-'));
  repository = path.join(folder, 'repository');
  for (const name of ['package.json', 'CHANGELOG.md', 'crds', 'charts']) {
    await cp(path.join(REPOSITORY, name), path.join(repository, name), { recursive: true });
  }
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('charts that were not generated for the version', () => {
  it('are refused before anything is built, by file and with the way out; generated they are accepted', async () => {
    await bump();
    const refused = await build(NEXT);
    for (const name of ['agentplane-crds', 'agentplane-cluster', 'agentplane']) {
      expect(refused).toContain(
        `charts/${name}/Chart.yaml says version ${PRODUCT_VERSION} and appVersion ${PRODUCT_VERSION}`,
      );
    }
    expect(refused).toContain(`${NEXT} is to be released`);
    expect(refused).toContain('npm run generate');
    await generate(NEXT);
    expect(await build(NEXT)).toBe('accepted');
  });

  it.each(['version', 'appVersion'])('are refused when %s alone is another', async (field) => {
    const file = 'charts/agentplane/Chart.yaml';
    const text = await readFile(inRepository(file), 'utf8');
    await writeFile(inRepository(file), text.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: "0.9.0"`));
    expect(await build(PRODUCT_VERSION)).toContain(`${file} says ${field} 0.9.0, but ${PRODUCT_VERSION}`);
    await writeFile(inRepository(file), text);
    expect(await build(PRODUCT_VERSION)).toBe('accepted');
  });

  it.each(['values.yaml', 'values.schema.json', 'templates/operator.yaml'])(
    'are refused when %s differs or is missing, until they are generated',
    async (name) => {
      const file = `charts/agentplane/${name}`;
      await writeFile(inRepository(file), `${await readFile(inRepository(file), 'utf8')}\n`);
      expect(await build(PRODUCT_VERSION)).toMatch(`${file} differs: run \`npm run generate\``);
      await rm(inRepository(file));
      expect(await build(PRODUCT_VERSION)).toMatch(`${file} is missing: run \`npm run generate\``);
      await generate(PRODUCT_VERSION);
      expect(await build(PRODUCT_VERSION)).toBe('accepted');
    },
  );
});

describe('what lies beside the files of a chart', () => {
  it.each(['.env', 'values.yaml~', 'templates/.operator.yaml.swp', 'stray.yaml', 'templates/.git/config'])(
    '%s is named and nothing is built; without it the chart is what it was',
    async (name) => {
      const before = await packed('agentplane');
      const file = `charts/agentplane/${name}`;
      await cp(inRepository('package.json'), inRepository(file));
      expect(await build(PRODUCT_VERSION)).toContain(`${file} is no file of the chart`);
      await rm(inRepository(file));
      expect(await build(PRODUCT_VERSION)).toBe('accepted');
      expect((await packed('agentplane')).bytes.equals(before.bytes)).toBe(true);
    },
  );

  it('is named wherever it is, all at once', async () => {
    const files = ['charts/agentplane/.env', 'charts/agentplane-crds/templates/more.yaml'];
    for (const file of files) await writeFile(inRepository(file), 'x: y\n');
    const refused = await build(PRODUCT_VERSION);
    for (const file of files) expect(refused).toContain(file);
  });

  it('is not followed where it is a link', async () => {
    await symlink(inRepository('crds'), inRepository('charts/agentplane/templates/crds'));
    expect(await build(PRODUCT_VERSION)).toContain('charts/agentplane/templates/crds is no file of the chart');
  });

  it('is left out where it is for chart-testing', async () => {
    await writeFile(inRepository('charts/agentplane/ci/mine-values.yaml'), '{}\n');
    const { names } = await packed('agentplane');
    expect(names).toContain('agentplane/values.schema.json');
    expect(names[0]).toBe('agentplane/Chart.yaml');
    expect(names.filter((name) => name.includes('/ci/'))).toEqual([]);
  });
});

it('a package has the same bytes when a file of the chart may be executed, or is a link to the same text', async () => {
  const before = await packed('agentplane');
  await chmod(inRepository('charts/agentplane/values.yaml'), 0o755);
  const readme = inRepository('charts/agentplane/README.md');
  await copyFile(readme, path.join(folder, 'README.md'));
  await rm(readme);
  await symlink(path.join(folder, 'README.md'), readme);
  expect((await packed('agentplane')).bytes.equals(before.bytes)).toBe(true);
});
