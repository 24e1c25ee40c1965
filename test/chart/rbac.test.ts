import type { V1PolicyRule } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { lacks } from '../../rbac/lacks.ts';
import { type Grant, grants, type Rule } from '../../rbac/rules.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { metadataOf, ofKind } from './support/objects.ts';
import { helms } from './support/tools.ts';

const release = { name: 'agentplane', namespace: 'agentplane-system' };
const governed = ['agents', 'research'];

/** What widens a Role: all of it, or nothing. */
async function render(chart: Grant['chart'], widest: boolean): Promise<readonly JsonMap[]> {
  const governedNamespaces = governed.map((name) => (widest ? { name, secrets: secretsOf(name) } : { name }));
  const values: Record<Grant['chart'], JsonMap> = {
    agentplane: {
      governedNamespaces,
      cilium: { enabled: widest },
      admission: { enabled: widest },
      probe: { enabled: true, namespace: 'canaries' },
    },
    'agentplane-cluster': { installs: [{ namespace: release.namespace }] },
  };
  const [, helm] = helms()[0] ?? ['', ''];
  return objectsOf(await helmTemplate(helm, chartFolder(chart), values[chart], release));
}

/** Each namespace has its own. */
function secretsOf(namespace: string): string[] {
  return [`key-of-${namespace}`, 'shared'];
}

function namespacesOf(grant: Grant): readonly string[] {
  if (grant.namespace === 'governed') return governed;
  if (grant.namespace === 'probe') return ['canaries'];
  return [grant.namespace === 'install' ? release.namespace : grant.namespace];
}

function expected(rules: readonly Rule[], namespace: string, widest: boolean): readonly V1PolicyRule[] {
  return rules
    .filter((rule) => (rule.when === undefined && rule.resourceNamesFrom === undefined) || widest)
    .map(({ apiGroup, resource, verbs, resourceNamesFrom, ...rule }) => {
      const resourceNames = resourceNamesFrom === undefined ? rule.resourceNames : secretsOf(namespace);
      return {
        apiGroups: [apiGroup],
        resources: [resource],
        verbs: [...verbs],
        ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
      };
    });
}

describe.each([true, false])('the Roles, with everything on that widens them: %s', (widest) => {
  it.each(grants.map((grant) => [`${grant.chart} ${grant.role} (${grant.namespace})`, grant] as const))(
    '%s holds the rules of rbac/rules.ts, no more and no less, and is bound to its identity alone',
    async (_, grant) => {
      const objects = await render(grant.chart, widest);
      for (const namespace of namespacesOf(grant)) {
        const here = objects.filter(
          (object) => metadataOf(object).namespace === namespace && metadataOf(object).name === grant.role,
        );
        const [role] = ofKind(here, 'Role');
        expect(role?.rules).toEqual(expected(grant.rules, namespace, widest));
        const [binding] = ofKind(here, 'RoleBinding');
        expect(binding?.roleRef).toEqual({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: grant.role });
        expect(binding?.subjects).toEqual([
          { kind: 'ServiceAccount', name: grant.identity, namespace: release.namespace },
        ]);
      }
    },
  );

  it('are all there is: no Role or RoleBinding beyond the table', async () => {
    for (const chart of ['agentplane', 'agentplane-cluster'] as const) {
      const count = grants.filter((grant) => grant.chart === chart).flatMap(namespacesOf).length;
      const objects = await render(chart, widest);
      expect(ofKind(objects, 'Role')).toHaveLength(count);
      expect(ofKind(objects, 'RoleBinding')).toHaveLength(count);
    }
  });
});

describe('what an identity lacks', () => {
  it.each(lacks.map((lack) => [`${lack.identity} ${lack.resource} (${lack.namespace})`, lack] as const))(
    'is granted by no rule: %s',
    (_, lack) => {
      const granted = grants
        .filter((grant) => grant.identity === lack.identity && grant.namespace === lack.namespace)
        .flatMap((grant) => grant.rules)
        .filter((rule) => rule.apiGroup === lack.apiGroup && rule.resource === lack.resource)
        .flatMap((rule) => rule.verbs as readonly string[]);
      expect(granted.filter((verb) => lack.verbs.includes(verb))).toEqual([]);
    },
  );
});

describe('nothing governed', () => {
  it('means that no identity exists that may write in a namespace', async () => {
    const [agentplane] = (await loadCharts(REPOSITORY)).filter((chart) => chart.name === 'agentplane');
    expect(agentplane?.fixtures['inventory-only']).toEqual({});
    const [, helm] = helms()[0] ?? ['', ''];
    const objects = objectsOf(await helmTemplate(helm, chartFolder('agentplane'), {}, release));
    expect(ofKind(objects, 'ServiceAccount').map((account) => metadataOf(account).name)).toEqual([
      'agentplane-inventory',
    ]);
  });
});
