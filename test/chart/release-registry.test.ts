/** What is published stays as it is: nothing is pushed over a tag that holds something else, and nothing before every tag was looked at. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, succeeds } from '../../scripts/lib/exec.ts';
import { tarOf } from '../../scripts/release/archive.ts';
import { packageChart } from '../../scripts/release/chart-package.ts';
import { writeOciLayout } from '../../scripts/release/oci-image.ts';
import { type Publication, type Published, publish } from '../../scripts/release/registry.ts';
import { chartTools } from './support/tools.ts';

const VERSION = '1.2.3';
const CHARTS = ['agentplane-crds', 'agentplane'];
let folder: string;
let server: ChildProcess;
let host: string;
/** Each test publishes to a place of its own. */
let places = 0;

/** A release of two small charts and an image; with another text, of other bytes. */
async function release(texts: { readonly chart?: string; readonly image?: string; readonly signature?: string } = {}) {
  const made = await mkdtemp(path.join(folder, 'made-'));
  const charts: string[] = [];
  for (const name of CHARTS) {
    const text = name === 'agentplane' ? (texts.chart ?? 'as it was') : 'as it was';
    const files = new Map([
      ['Chart.yaml', `apiVersion: v2\nname: ${name}\nversion: ${VERSION}\n`],
      ['templates/NOTES.txt', text],
    ]);
    const chart = await packageChart({ name, files }, VERSION, { work: made, out: made });
    if (texts.signature !== undefined) await writeFile(`${chart}.prov`, texts.signature);
    charts.push(chart);
  }
  await mkdir(path.join(made, 'program'));
  await writeFile(path.join(made, 'program/text'), texts.image ?? 'as it was');
  const layout = path.join(made, 'layout');
  const { digest } = await writeOciLayout(layout, {
    architecture: 'amd64',
    layers: [await tarOf({ folder: path.join(made, 'program'), names: ['text'] })],
    config: {},
    labels: {},
    reference: `agentplane:${VERSION}`,
  });
  return { charts, layout, digest, version: VERSION };
}

async function push(address: string, publication: Publication): Promise<readonly Published[]> {
  const { helm4, crane } = chartTools();
  return publish({ address, insecure: true }, { helm4, crane }, publication);
}

const isThere = (reference: string) => succeeds(chartTools().crane, ['manifest', '--insecure', reference]);
const pushed = (published: readonly Published[]) => published.filter((each) => each.pushed);
const references = (published: readonly Published[]) => published.map(({ reference }) => reference);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentplane-registry-'));
  server = spawn(chartTools().registry, ['-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [line] = (await once(server.stderr as NodeJS.EventEmitter, 'data')) as [Buffer];
  host = `localhost:${/port (\d+)/.exec(line.toString())?.[1]}`;
});

afterAll(async () => {
  server.kill();
  await rm(folder, { recursive: true, force: true });
});

function place(): { readonly address: string; readonly tagOf: (name: string) => string } {
  places += 1;
  const address = `${host}/place-${places}`;
  return { address, tagOf: (name) => `${address}/${name}:${VERSION}` };
}

describe('a tag that is there', () => {
  it('with the same bytes is left alone, however often the same release is published', async () => {
    const { address } = place();
    const first = await push(address, await release());
    expect(pushed(first)).toHaveLength(3);
    const second = await push(address, await release());
    expect(pushed(second)).toEqual([]);
    expect(references(second)).toEqual(references(first));
  });

  it.each([
    ['a chart', { chart: 'another' }, 'charts/agentplane'],
    ['the image', { image: 'another' }, 'agentplane'],
  ])('with other bytes of %s is refused by name, and stays', async (_, other, name) => {
    const { address, tagOf } = place();
    const first = await push(address, await release());
    await expect(push(address, await release(other))).rejects.toThrow(`${tagOf(name)} is published with other content`);
    expect(references(await push(address, await release()))).toEqual(references(first));
  });

  it.each([
    ['charts/agentplane', { chart: 'another' }],
    ['agentplane', { image: 'another' }],
  ])(
    '%s with other bytes is refused before anything else is pushed; what is missing is pushed',
    async (name, other) => {
      const { address, tagOf } = place();
      await only(address, name, await release());
      await expect(push(address, await release(other))).rejects.toThrow('nothing was pushed');
      expect(await isThere(tagOf('charts/agentplane-crds'))).toBe(false);
      const rest = await push(address, await release());
      expect(rest.map((each) => each.pushed)).toEqual([true, name !== 'charts/agentplane', name !== 'agentplane']);
      expect(await isThere(tagOf('charts/agentplane-crds'))).toBe(true);
    },
  );

  it('without a signature is refused when there is one now; one made anew for the same chart is not pushed', async () => {
    const { address, tagOf } = place();
    await push(address, await release());
    await expect(push(address, await release({ signature: 'of today' }))).rejects.toThrow(
      `${tagOf('charts/agentplane')} is published without a signature`,
    );
    const signed = place();
    const first = await push(signed.address, await release({ signature: 'of today' }));
    const second = await push(signed.address, await release({ signature: 'of tomorrow' }));
    expect(pushed(second)).toEqual([]);
    expect(references(second)).toEqual(references(first));
  });
});

/** Leaves of the release what an interrupted push may have left. */
async function only(address: string, name: string, { charts, layout }: Publication): Promise<void> {
  const { helm4, crane } = chartTools();
  if (name === 'agentplane') {
    await run(crane, ['push', '--insecure', layout, `${address}/${name}:${VERSION}`]);
    return;
  }
  const chart = charts.find((file) => path.basename(file) === `agentplane-${VERSION}.tgz`) ?? '';
  await run(helm4, ['push', chart, `oci://${address}/charts`, '--plain-http']);
}

describe('a registry that does not say whether a tag is there', () => {
  let silent: Server;

  beforeAll(async () => {
    silent = createServer((request, response) => {
      const denied = request.url !== '/v2/';
      response.writeHead(denied ? 403 : 200, { 'content-type': 'application/json' });
      response.end(denied ? JSON.stringify({ errors: [{ code: 'DENIED', message: 'not yours' }] }) : '{}');
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });

  afterAll(() => silent.close());

  it('gets nothing: that is not the same as a tag that is not there', async () => {
    const address = `localhost:${(silent.address() as AddressInfo).port}/place`;
    await expect(push(address, await release())).rejects.toThrow(/cannot be told.*nothing was pushed.*DENIED/s);
  });
});
