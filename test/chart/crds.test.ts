import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { metadataOf } from './support/objects.ts';
import { helms } from './support/tools.ts';

const release = { name: 'agentplane-crds', namespace: 'agentplane-system' };
/** A client-side apply keeps the whole object in an annotation, whose limit is 262144 bytes. */
const budget = 200_000;

async function sources(): Promise<readonly JsonMap[]> {
  const folder = path.join(REPOSITORY, 'crds');
  const files = (await readdir(folder)).sort();
  return Promise.all(files.map(async (file) => parse(await readFile(path.join(folder, file), 'utf8')) as JsonMap));
}

async function rendered(values: JsonMap = {}): Promise<readonly JsonMap[]> {
  const [, helm] = helms()[0] ?? ['', ''];
  return objectsOf(await helmTemplate(helm, chartFolder('agentplane-crds'), values, release));
}

describe('agentplane-crds', () => {
  it('holds the CRDs of crds/, spec for spec', async () => {
    const specs = (objects: readonly JsonMap[]) =>
      Object.fromEntries(objects.map((crd) => [metadataOf(crd).name, crd.spec]));
    const wanted = specs(await sources());
    expect(Object.keys(wanted).length).toBeGreaterThan(0);
    expect(specs(await rendered())).toEqual(wanted);
  });

  it('keeps them when a release goes: a rollback must not delete a CRD and with it every policy', async () => {
    for (const crd of await rendered()) expect(metadataOf(crd).annotations?.['helm.sh/resource-policy']).toBe('keep');
  });

  it('adds the annotations that GitOps tools ask for', async () => {
    const key = 'argocd.argoproj.io/sync-options';
    for (const crd of await rendered({ annotations: { [key]: 'ServerSideApply=true' } })) {
      expect(metadataOf(crd).annotations).toEqual({ 'helm.sh/resource-policy': 'keep', [key]: 'ServerSideApply=true' });
    }
  });

  it('stays within what a client-side apply can carry', async () => {
    for (const crd of await rendered()) expect(JSON.stringify(crd).length).toBeLessThan(budget);
  });

  it('holds nothing that the API server removes or defaults away, which would be a difference for ever', async () => {
    for (const crd of await rendered()) {
      expect(Object.keys(crd).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
      const text = JSON.stringify(crd);
      for (const trap of ['"creationTimestamp":null', '"categories":[]', '"preserveUnknownFields":false']) {
        expect(text).not.toContain(trap);
      }
      expect(crd.spec).toHaveProperty('conversion', { strategy: 'None' });
    }
  });
});
