import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { succeeds, tryRun } from '../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts, packageVersion } from '../../scripts/synth/charts.ts';
import { defaultValues } from '../../scripts/synth/values-yaml.ts';
import { chartFolder, withValuesFile } from './support/helm.ts';
import { chartTools, helms } from './support/tools.ts';

const charts = await loadCharts(REPOSITORY);
const hasYamlTools = (await succeeds('yamllint', ['--version'])) && (await succeeds('yamale', ['--help']));

describe.each(charts.map((chart) => [chart.name, chart] as const))('lint of %s', (name, chart) => {
  it.each(Object.entries(chart.fixtures))('helm lint --strict, with both Helms: %s', async (_, values) => {
    for (const [, helm] of helms()) {
      const result = await withValuesFile(values, (file) =>
        tryRun(helm, ['lint', chartFolder(name), '--strict', '--kube-version', '1.36.0', '--values', file]),
      );
      expect(result.code, result.stdout + result.stderr).toBe(0);
    }
  });
});

describe.each(charts.map((chart) => [chart.name, chart] as const))('files of %s', (name, chart) => {
  const read = (file: string) => readFile(path.join(chartFolder(name), file), 'utf8');

  it('are YAML without a key that stands twice, with one version: that of package.json', async () => {
    const version = await packageVersion(REPOSITORY);
    expect(parse(await read('Chart.yaml'), { uniqueKeys: true })).toMatchObject({ name, version, appVersion: version });
    const defaults: unknown = parse(await read('values.yaml'), { uniqueKeys: true });
    expect(defaults ?? {}).toEqual(defaultValues(chart.values));
  });

  it('document every value in the README', async () => {
    const readme = await read('README.md');
    const schema = JSON.parse(await read('values.schema.json')) as { properties: Record<string, unknown> };
    for (const value of Object.keys(schema.properties)) expect(readme).toContain(`\`${value}`);
  });
});

/** ct judges these two as well where the Python tools that it calls are on PATH. */
const yamlChecks = hasYamlTools
  ? ['--lint-conf', 'test/chart/ct/lintconf.yaml', '--chart-yaml-schema', 'test/chart/ct/chart_schema.yaml']
  : ['--validate-yaml=false', '--validate-chart-schema=false'];

describe('chart-testing', () => {
  it('ct lint passes on every chart and every ci/ fixture', async () => {
    if (!hasYamlTools) console.log('ct lint: without yamllint and yamale, which are not on PATH');
    const folders = charts.map((chart) => `charts/${chart.name}`).join(',');
    const args = ['lint', '--config', 'test/chart/ct/ct.yaml', '--charts', folders, ...yamlChecks];
    const env = { PATH: `${helmFolder()}:${process.env.PATH}` };
    const result = await tryRun(chartTools().ct, args, { cwd: REPOSITORY, env });
    expect(result.code, result.stdout + result.stderr).toBe(0);
    expect(result.stdout).toContain('All charts linted successfully');
  });
});

/** ct calls `helm` by name. */
function helmFolder(): string {
  return path.dirname(chartTools().helm3);
}
