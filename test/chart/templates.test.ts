import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnyObjectField } from '../../constructs/values/model.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { chartFolder, helmTemplate } from './support/helm.ts';
import { helms } from './support/tools.ts';

const charts = await loadCharts(REPOSITORY);
const release = { name: 'agentplane', namespace: 'agentplane-system' };

async function templates(chart: string): Promise<ReadonlyMap<string, string>> {
  const folder = path.join(chartFolder(chart), 'templates');
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const)),
  );
}

/** Paths of the leaves: what a template has to use. */
function leafPaths(model: AnyObjectField, path: readonly string[] = []): readonly string[] {
  return Object.entries(model.properties).flatMap(([name, field]) =>
    field.kind === 'object' ? leafPaths(field, [...path, name]) : [[...path, name].join('.')],
  );
}

describe.each(charts.map((chart) => [chart.name, chart] as const))('templates of %s', (name, chart) => {
  it('say in their first line that they are generated', async () => {
    for (const text of (await templates(name)).values()) expect(text.split('\n')[0]).toContain('GENERATED');
  });

  it('use every value of the schema, and none that it lacks', async () => {
    const text = [...(await templates(name)).values()].join('\n');
    const used = new Set([...text.matchAll(/\$\.Values\.([A-Za-z0-9.]+)/g)].map((match) => match[1] ?? ''));
    expect([...used].sort()).toEqual([...leafPaths(chart.values)].sort());
    expect(text.replaceAll('$.Values.', '')).not.toContain('.Values');
  });

  it('ask neither the cluster, nor the clock, nor chance', async () => {
    for (const [file, text] of await templates(name)) {
      const actions = [...text.matchAll(/\{\{.*?\}\}/gs)]
        .map((match) => match[0])
        .filter((action) => !action.startsWith('{{- /*'));
      const words = new Set(
        actions.flatMap((action) => action.replace(/"(\\.|[^"\\])*"/g, '').match(/[A-Za-z0-9.]+/g) ?? []),
      );
      const found = [...words].filter((word) => forbidden.test(word));
      expect(found, file).toEqual([]);
    }
  });

  it.each(Object.entries(chart.fixtures))('render the same bytes twice: %s', async (_, values) => {
    const texts = await Promise.all(
      helms().map(async ([, helm]) => {
        const { text } = await helmTemplate(helm, chartFolder(name), values, release);
        expect(text).toBeDefined();
        expect((await helmTemplate(helm, chartFolder(name), values, release)).text).toBe(text);
        return text;
      }),
    );
    // Helm 4 leaves an empty line at the end of each document.
    const [helm3, helm4] = texts.map((text) => text?.replace(/\n\n+/g, '\n').trim());
    expect(helm4).toBe(helm3);
  });
});

const forbidden =
  /^(lookup|gen(CA|SelfSigned|Signed|PrivateKey).*|rand.*|uuidv4|now|ago|date.*|htmlDate|unixEpoch|getHostByName|env|expandenv|tpl|.*Capabilities.*|bcrypt|htpasswd|shuffle)$/;

describe('the rule on template functions', () => {
  it.each([
    'lookup',
    'genCA',
    'genSignedCert',
    'randAlphaNum',
    'uuidv4',
    'now',
    '$.Capabilities.APIVersions.Has'.slice(1),
    'tpl',
  ])('finds %s', (word) => {
    expect(forbidden.test(word)).toBe(true);
  });
});
