import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryRun } from '../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { chartFolder, helmTemplate } from './support/helm.ts';
import { kubernetesOpenApi, writeKindSchemas } from './support/openapi.ts';
import { chartTools } from './support/tools.ts';

/** kubeconform against strict schemas of the very Kubernetes that the test clusters run: a field that does not exist is refused. */

const charts = await loadCharts(REPOSITORY);
const openApi = await kubernetesOpenApi();
const kinds = [
  'v1 ConfigMap',
  'v1 Pod',
  'v1 Service',
  'v1 ServiceAccount',
  'apps/v1 Deployment',
  'policy/v1 PodDisruptionBudget',
  'networking.k8s.io/v1 NetworkPolicy',
  'rbac.authorization.k8s.io/v1 Role',
  'rbac.authorization.k8s.io/v1 RoleBinding',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentplane-schemas-'));
  if (openApi !== undefined) await writeKindSchemas(openApi, folder, kinds);
});

afterAll(() => rm(folder, { recursive: true }));

async function kubeconform(manifests: string): Promise<{ code: number; output: string }> {
  const file = path.join(folder, 'manifests.yaml');
  await writeFile(file, manifests);
  const location = path.join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  // Their schemas belong to another project: see monitoring.test.ts.
  const result = await tryRun(chartTools().kubeconform, [
    '-strict',
    '-schema-location',
    location,
    '-skip',
    'ServiceMonitor,PrometheusRule,CiliumNetworkPolicy',
    file,
  ]);
  return { code: result.code, output: result.stdout + result.stderr };
}

describe.skipIf(openApi === undefined)(
  'kubeconform (its schemas come from the Go module k8s.io/kubernetes, so it needs Go)',
  () => {
    const cases = charts.flatMap((chart) =>
      Object.entries(chart.fixtures).map(([name, values]) => [chart.name, name, values] as const),
    );

    it.each(cases)('accepts %s with %s', async (chart, _, values) => {
      const release = { name: 'agentplane', namespace: 'agentplane-system' };
      const { text = '' } = await helmTemplate(chartTools().helm3, chartFolder(chart), values, release);
      const { code, output } = await kubeconform(text);
      expect(code, output).toBe(0);
    });

    it('accepts the account that the example for Flux brings', async () => {
      const { code, output } = await kubeconform(
        await readFile(path.join(REPOSITORY, 'docs/gitops/flux/account.yaml'), 'utf8'),
      );
      expect(code, output).toBe(0);
    });

    it('refuses a field that does not exist', async () => {
      const { code, output } = await kubeconform(
        'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nautomount: true\n',
      );
      expect(code).not.toBe(0);
      expect(output).toContain('automount');
    });
  },
);
