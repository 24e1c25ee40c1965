/** A Role is about a namespace: a rule on what lives in none grants nothing, and looks as if it did. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { grants } from '../../rbac/rules.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { ofKind } from './support/objects.ts';
import { kubernetesOpenApi } from './support/openapi.ts';
import { chartTools } from './support/tools.ts';

const release = { name: 'agentplane', namespace: 'agentplane-system' };
const charts = await loadCharts(REPOSITORY);
const openApi = await kubernetesOpenApi();
/** `group/resource`, of what Kubernetes serves below a namespace; and of kinds that it learns of from CRDs. */
const namespaced = new Set([
  ...(openApi === undefined ? [] : await servedInNamespaces(openApi)),
  ...(await ownKinds()),
  'cilium.io/ciliumnetworkpolicies',
]);

async function servedInNamespaces(file: string): Promise<readonly string[]> {
  const { paths } = JSON.parse(await readFile(file, 'utf8')) as { paths: Readonly<Record<string, unknown>> };
  return Object.keys(paths).flatMap((path) => {
    const [, group, resource] = /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/\{namespace\}\/([^/]+)$/.exec(path) ?? [];
    return resource === undefined ? [] : [`${group ?? ''}/${resource}`];
  });
}

async function ownKinds(): Promise<readonly string[]> {
  const crds = objectsOf(await helmTemplate(chartTools().helm4, chartFolder('agentplane-crds'), {}, release));
  return crds.flatMap(({ spec }) => {
    const { group, scope, names } = spec as unknown as { group: string; scope: string; names: { plural: string } };
    return scope === 'Namespaced' ? [`${group}/${names.plural}`] : [];
  });
}

function inNamespaces(group: string, resource: string): boolean {
  return namespaced.has(`${group}/${resource.split('/')[0]}`);
}

describe.skipIf(openApi === undefined)('a rule of a Role (what there is comes from Go sources)', () => {
  it('is about what lives in a namespace, in every fixture', async () => {
    for (const { name, fixtures } of charts) {
      for (const values of Object.values(fixtures)) {
        const objects = objectsOf(await helmTemplate(chartTools().helm4, chartFolder(name), values, release));
        const rules = ofKind(objects, 'Role').flatMap(
          ({ rules: all }) => all as unknown as readonly { apiGroups: string[]; resources: string[] }[],
        );
        const asked = rules.flatMap(({ apiGroups, resources }) =>
          apiGroups.flatMap((group) => resources.map((resource) => [group, resource] as const)),
        );
        expect(asked.filter(([group, resource]) => !inNamespaces(group, resource))).toEqual([]);
      }
    }
  });

  it('is about what lives in a namespace, in the table that they are made from', () => {
    const rules = grants.flatMap((grant) => grant.rules);
    expect(rules.filter(({ apiGroup, resource }) => !inNamespaces(apiGroup, resource))).toEqual([]);
  });

  it('on anything else is found', () => {
    expect(inNamespaces('', 'pods/log')).toBe(true);
    expect(['nodes', 'namespaces', 'persistentvolumes'].filter((resource) => inNamespaces('', resource))).toEqual([]);
    expect(inNamespaces('rbac.authorization.k8s.io', 'clusterroles')).toBe(false);
  });
});
