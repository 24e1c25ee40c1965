import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { isDangerous } from '../../src/access/findings.ts';
import { accessReport, rolesWithoutReport } from '../../src/access/report.ts';
import type { Manifest } from '../../src/manifests/manifest.ts';
import { parseManifests } from '../../src/manifests/parse.ts';
import { chartFolder, helmTemplate } from './support/helm.ts';
import { helms } from './support/tools.ts';

/** What a reviewer is shown of our own charts: `helm template | agentplane rbac-report -f -`. */
const release = { name: 'agentplane', namespace: 'agentplane-system' };
const cases = (await loadCharts(REPOSITORY)).flatMap(({ name, fixtures }) =>
  Object.entries(fixtures).map(([fixture, values]) => [name, fixture, values] as const),
);

async function rendered(name: string, values: JsonMap): Promise<readonly Manifest[]> {
  const [[, helm] = ['', '']] = helms();
  const { text, error } = await helmTemplate(helm, chartFolder(name), values, release);
  if (text === undefined) throw new Error(`${name} was not rendered: ${error}`);
  const { manifests, problems } = parseManifests('rendered', text);
  expect(problems).toEqual([]);
  return manifests;
}

describe('the access report of our own charts', () => {
  it.each(cases)('%s, %s: nothing is worse than to be known', async (name, _, values) => {
    const manifests = await rendered(name, values);
    const identities = accessReport(manifests, release.namespace);
    expect(identities.flatMap(({ findings }) => findings.filter(isDangerous))).toEqual([]);
    expect(rolesWithoutReport(manifests, release.namespace)).toEqual([]);
  });

  it('tells of an identity, of a ClusterRole that is added to, and of what is to be known', async () => {
    const told = cases.map(async ([name, , values]) => accessReport(await rendered(name, values), release.namespace));
    const identities = (await Promise.all(told)).flat();
    expect(new Set(identities.map(({ kind }) => kind))).toEqual(new Set(['ServiceAccount', 'ClusterRole']));
    expect(identities.flatMap(({ findings }) => findings).length).toBeGreaterThan(0);
  });
});
