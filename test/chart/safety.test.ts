import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { synthStatic } from '../../scripts/synth/synth-static.ts';
import { byIdentity } from './support/objects.ts';
import { findings } from './support/safety.ts';

/** The safety rules judge every rendering of the invariant test. Here each proves that it can find something. */

const [agentplane] = (await loadCharts(REPOSITORY)).filter((chart) => chart.name === 'agentplane');
if (agentplane === undefined) throw new Error('no chart agentplane');
const objects = synthStatic(
  agentplane,
  { governedNamespaces: [{ name: 'agents' }], probe: { enabled: true, namespace: 'canaries' } },
  { name: 'agentplane', namespace: 'system' },
);

/** One rendered object, changed at one place. */
function changed(identity: string, path: readonly string[], value: unknown): JsonMap {
  const copy = structuredClone(byIdentity(objects)[identity]) as Record<string, unknown>;
  const [last = '', ...parents] = [...path].reverse();
  let at = copy;
  for (const key of parents.reverse()) at = at[key] as Record<string, unknown>;
  at[last] = value;
  return copy as JsonMap;
}

const role = 'rbac.authorization.k8s.io/v1 Role agents/agentplane-operator';
const deployment = 'apps/v1 Deployment system/agentplane-operator';
const testPod = 'v1 Pod system/agentplane-probe-test';
const pod = ['spec', 'template', 'spec'];
const container = [...pod, 'containers', '0', 'securityContext'];
const rule = (apiGroup: string, resource: string, verb: string) => [
  { apiGroups: [apiGroup], resources: [resource], verbs: [verb] },
];
const named = (verbs: readonly string[]) => [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs }];

const unsafe: readonly (readonly [what: string, object: JsonMap, finding: string])[] = [
  ['a wildcard verb', changed(role, ['rules'], rule('', 'pods', '*')), 'wildcard'],
  ['a wildcard resource', changed(role, ['rules'], rule('apps', '*', 'get')), 'wildcard'],
  ['secrets', changed(role, ['rules'], rule('', 'secrets', 'get')), 'forbidden resource'],
  ['a named Secret with another verb', changed(role, ['rules'], named(['get', 'list'])), 'forbidden resource'],
  ['exec', changed(role, ['rules'], rule('', 'pods/exec', 'create')), 'forbidden resource'],
  ['RBAC objects', changed(role, ['rules'], rule('rbac.authorization.k8s.io', 'roles', 'get')), 'RBAC objects'],
  ['impersonation', changed(role, ['rules'], rule('', 'serviceaccounts', 'impersonate')), 'forbidden verb'],
  ['a rule on nodes', changed(role, ['rules'], rule('', 'nodes', 'get')), 'cluster-scoped resource'],
  ['a ClusterRole', changed(role, ['kind'], 'ClusterRole'), 'cluster-scoped'],
  ['a Namespace', changed(role, ['kind'], 'Namespace'), 'cluster-scoped'],
  ['an object without a namespace', changed(role, ['metadata', 'namespace'], ''), 'no namespace'],
  [
    'a pod that may run as root',
    changed(deployment, [...pod, 'securityContext', 'runAsNonRoot'], false),
    'runAsNonRoot',
  ],
  [
    'a test pod that may run as root',
    changed(testPod, ['spec', 'securityContext', 'runAsNonRoot'], false),
    'runAsNonRoot',
  ],
  ['a pod without seccomp', changed(deployment, [...pod, 'securityContext', 'seccompProfile'], {}), 'seccomp'],
  ['the host network', changed(deployment, [...pod, 'hostNetwork'], true), 'host namespaces'],
  ['a volume', changed(deployment, [...pod, 'volumes'], [{ name: 'x' }]), 'volumes'],
  ['service links', changed(deployment, [...pod, 'enableServiceLinks'], true), 'service links'],
  ['a writable root', changed(deployment, [...container, 'readOnlyRootFilesystem'], false), 'writable root'],
  [
    'privilege escalation',
    changed(deployment, [...container, 'allowPrivilegeEscalation'], true),
    'privilege escalation',
  ],
  ['kept capabilities', changed(deployment, [...container, 'capabilities'], {}), 'capabilities'],
];

describe('the safety rules', () => {
  it('find nothing in the chart', () => {
    expect(findings(objects)).toEqual([]);
  });

  it('let a Secret be got by its name', () => {
    expect(findings([changed(role, ['rules'], named(['get']))])).toEqual([]);
  });

  it('let a RuntimeClass be got by its name, by a ClusterRole and by no Role', () => {
    const rules = [{ apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'], resourceNames: ['a'], verbs: ['get'] }];
    const object = changed(role, ['rules'], rules);
    const ofCluster = { ...object, kind: 'ClusterRole' };
    expect(findings([object]).join()).toContain('cluster-scoped resource');
    expect(findings([ofCluster]).join()).not.toContain('cluster-scoped resource');
    const listed = { ...ofCluster, rules: [{ ...rules[0], verbs: ['get', 'list'] }] } as unknown as JsonMap;
    expect(findings([listed]).join()).toContain('cluster-scoped resource');
  });

  it.each(unsafe)('find %s', (_, object, finding) => {
    expect(findings([object]).join('\n')).toContain(finding);
  });
});
