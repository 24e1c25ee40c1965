/** What a reader copies first: every file of examples/ together in one namespace, and every object in the documents. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { API_VERSION } from '../../src/api/meta.ts';
import { isInForce } from '../../src/controllers/observable.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Running } from '../support/process.ts';
import { stageCilium } from '../support/staged-cilium.ts';
import { installCiliumCrd } from '../support/without-nodes.ts';
import { type Installation, install } from './support/installation.ts';

const namespace = 'examples';
/** Has none of the objects yet. */
const EMPTY = 'documents';
const folder = path.join(REPOSITORY, 'examples');
const files = await readdir(folder);
/** Needs a RuntimeClass that this cluster lacks: what it says then is tested with its kind. */
const CLOSED = 'runtime-profile-strict.yaml';
const documents = await documentsWithObjects();

let site: Installation;
let running: readonly Running[];

beforeAll(async () => {
  site = await install([namespace, EMPTY], { secrets: ['model-key'], holdsProfiles: true });
  await installCiliumCrd(site);
  await stageCilium(site.kubectl);
  running = [await site.startInventory(), await site.startOperator()];
});

afterAll(async () => {
  for (const each of running ?? []) await each.stop();
});

describe('the files of examples/', () => {
  it('are in force together, once the Secret is there that they name', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'model-key', namespace } };
    await site.kubectl.apply([{ ...secret, stringData: { token: 'x' } }]);
    await site.kubectl.run('apply', '-n', namespace, '-f', folder);
    for (const file of files.filter((name) => name !== CLOSED)) await inForce(file);
  });
});

describe('the objects in the documents', () => {
  it('are there to be read', () => {
    expect(documents.map(([name]) => name)).toEqual(expect.arrayContaining(['README.md', 'docs/egress.md']));
  });

  it.each(documents)('%s: %s is accepted as it stands', async (_, __, object) => {
    const { metadata } = object;
    await site.kubectl.apply([{ ...object, metadata: { ...metadata, namespace: EMPTY } }], '--dry-run=server');
  });
});

async function inForce(file: string): Promise<void> {
  const { kind, metadata } = parse(await readFile(path.join(folder, file), 'utf8')) as KubeObject;
  await waitFor(`${file} to be in force`, { timeoutMs: 30_000, intervalMs: 100 }, async () => {
    const seen = await site.kubectl.get<KubeObject>(kind ?? '', metadata.name, '-n', namespace);
    if (seen !== undefined && isInForce(seen)) return { done: true, value: undefined };
    return { done: false, saw: JSON.stringify(seen) };
  });
}

/** Of README.md and docs/: name of the document, of the object, and the object. */
async function documentsWithObjects(): Promise<readonly (readonly [string, string, KubeObject])[]> {
  const docs = await readdir(path.join(REPOSITORY, 'docs'), { recursive: true });
  const names = ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name))];
  const texts = await Promise.all(names.map((name) => readFile(path.join(REPOSITORY, name), 'utf8')));
  return names.flatMap((name, i) =>
    objectsOf(texts[i] as string).map((each) => [name, each.metadata.name, each] as const),
  );
}

function objectsOf(markdown: string): readonly KubeObject[] {
  const blocks = [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
  const parsed = blocks.flatMap((text) =>
    parseAllDocuments(text).map((each) => each.toJS() as Partial<KubeObject> | null),
  );
  return parsed.filter((each): each is KubeObject => each?.apiVersion === API_VERSION);
}
