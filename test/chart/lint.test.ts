import { describe, expect, it } from 'vitest';
import { succeeds, tryRun } from '../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
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

describe('chart-testing', () => {
  const lint = (...flags: readonly string[]) =>
    tryRun(
      chartTools().ct,
      [
        ...[
          'lint',
          '--config',
          'test/chart/ct/ct.yaml',
          '--charts',
          charts.map((chart) => `charts/${chart.name}`).join(','),
        ],
        ...flags,
      ],
      { cwd: REPOSITORY, env: { PATH: `${helmFolder()}:${process.env.PATH}` } },
    );

  it('ct lint passes on every chart and every ci/ fixture', async () => {
    const result = await lint('--validate-yaml=false', '--validate-chart-schema=false');
    expect(result.code, result.stdout + result.stderr).toBe(0);
    expect(result.stdout).toContain('All charts linted successfully');
  });

  it.skipIf(!hasYamlTools)(
    'ct lint also passes yamllint and the chart schema (needs yamllint and yamale on PATH)',
    async () => {
      const result = await lint(
        '--lint-conf',
        'test/chart/ct/lintconf.yaml',
        '--chart-yaml-schema',
        'test/chart/ct/chart_schema.yaml',
      );
      expect(result.code, result.stdout + result.stderr).toBe(0);
    },
  );
});

/** ct calls `helm` by name. */
function helmFolder(): string {
  return chartTools().helm3.replace(/\/[^/]*$/, '');
}
