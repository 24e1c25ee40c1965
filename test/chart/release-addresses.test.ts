/** One address to publish to: what docs/releasing.md says after --push, and what docs/gitops/ takes charts and image from. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { chartRepository, imageRepository } from '../../scripts/release/registry.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';

const REGISTRY = 'registry.example.com';
const releasing = await readFile(path.join(REPOSITORY, 'docs/releasing.md'), 'utf8');
const pushed = /--push (\S+)/.exec(releasing)?.[1] ?? '';
const charts = (await loadCharts(REPOSITORY)).map(({ name }) => chartRepository(pushed, name));
const published = [...charts, imageRepository(pushed)];

/** Every address of the registry in a value, with what Argo CD keeps apart put together: a registry and the name of a chart. */
function addressesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes(REGISTRY) ? [value.replace('oci://', '')] : [];
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { repoURL, chart, ...rest } = value as Readonly<Record<string, unknown>>;
  const own = typeof chart === 'string' ? [`${String(repoURL)}/${chart}`] : addressesIn(repoURL);
  return [...own, ...addressesIn(Object.values(rest))];
}

async function examplesOf(tool: string): Promise<readonly unknown[]> {
  const folder = path.join(REPOSITORY, 'docs/gitops', tool);
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
}

describe('what --push of docs/releasing.md publishes', () => {
  it.each(['argo-cd', 'flux'])('is what the examples for %s take, each chart and the image', async (tool) => {
    const sources = path.posix.dirname(charts[0] ?? '');
    const addresses = (await examplesOf(tool)).flatMap(addressesIn).filter((address) => address !== sources);
    expect(new Set(addresses)).toEqual(new Set(published));
    // Another address to push to gives none of them.
    for (const name of ['agentplane', 'agentplane-crds'])
      expect(addresses).not.toContain(chartRepository(REGISTRY, name));
  });

  it('is what a project of Argo CD may take charts from', async () => {
    const projects = (await examplesOf('argo-cd')) as readonly { kind: string; spec: { sourceRepos?: string[] } }[];
    const allowed = projects.flatMap(({ kind, spec }) => (kind === 'AppProject' ? (spec.sourceRepos ?? []) : []));
    expect(allowed.filter((address) => address.includes(REGISTRY))).toEqual([path.posix.dirname(charts[0] ?? '')]);
  });

  it('is all that docs/releasing.md names of the registry', () => {
    const named = [...releasing.matchAll(/registry\.example\.com[\w./-]*/g)].map(([address]) => address);
    expect(named.filter((address) => address !== pushed && !published.includes(address))).toEqual([]);
    expect(new Set(named)).toEqual(new Set([pushed, ...published]));
  });
});
