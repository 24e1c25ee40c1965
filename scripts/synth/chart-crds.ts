import { stringify } from 'yaml';
import { type CrdManifest, CrdsChart } from '../../constructs/crds-chart.ts';
import { crdsValues } from '../../constructs/values/crds.ts';
import type { AnyKind } from '../../src/api/kind.ts';
import { KINDS } from '../../src/api/kinds.ts';
import type { ChartDefinition } from './chart-definition.ts';

export function crdsDefinition(version: string, crds: readonly CrdManifest[]): ChartDefinition {
  return {
    name: 'agentplane-crds',
    description: 'The CustomResourceDefinitions of AgentPlane. Kept when the release is rolled back or uninstalled.',
    values: crdsValues,
    build: (app) => new CrdsChart(app, 'agentplane-crds', { version, crds }),
    notes: [
      'The CustomResourceDefinitions of AgentPlane are installed. They stay when this release is uninstalled, and with them every',
      'policy. To remove both for good:',
      '',
      `  kubectl delete customresourcedefinition ${crds.map((crd) => crd.metadata.name).join(' ')}`,
    ],
    artifactHub: { crds: stringify(KINDS.map(shown), { lineWidth: 0 }) },
    readme: [
      '## Install',
      '',
      '```sh',
      'helm install agentplane-crds charts/agentplane-crds --namespace default',
      '```',
      '',
      'The CRDs are templates, so that `helm upgrade` updates them, and carry `helm.sh/resource-policy: keep`, so that neither a',
      'rollback nor an uninstall deletes them: with a CRD goes every policy of its kind. Install this chart before `agentplane`, and',
      'upgrade it first, in the namespace that its release is in (docs/operations.md).',
      '',
      'Over CRDs that were applied by other means, such as `kubectl apply`, an install is refused: they belong to no release. To take them over,',
      'with every policy in place: `helm install --take-ownership`, and with Helm 4 `--force-conflicts` as well, since what applied them still owns',
      'the fields in which this version differs.',
    ],
    fixtures: {
      default: {},
      'common-metadata': {
        commonLabels: { 'cost-center': '4711' },
        commonAnnotations: {
          'example.com/owner': 'everybody',
          'example.com/runbook': 'https://example.com/{{ name }}',
        },
        annotations: { 'example.com/owner': 'platform' },
      },
      'argo-cd': { annotations: { 'argocd.argoproj.io/sync-options': 'ServerSideApply=true' } },
    },
  };
}

function shown({ kind, version, plural, group, description }: AnyKind): object {
  return { kind, version, name: `${plural}.${group}`, displayName: kind, description };
}
