import { describe, expect, test } from 'vitest';
import { runtimeClassesRead } from '../../rbac/cluster-rules.ts';
import { customerRoleName, customerRoles } from '../../rbac/customer-rules.ts';
import {
  type Grant,
  grants,
  inventoryInstall,
  inventorySystem,
  operatorGoverned,
  operatorInstall,
  probeCanaries,
} from '../../rbac/rules.ts';
import { isDangerous } from './findings.ts';
import { binding, GROUP, of, report, role } from './testing.ts';

describe('what the charts grant', () => {
  const HOME = 'agentplane-system';
  const places: Readonly<Record<string, string>> = { governed: 'agents', install: HOME, probe: 'canaries' };
  const placeOf = (place: string) => places[place] ?? 'kube-system';
  /** The Role and RoleBinding of one grant; `change` makes it another one. */
  const rendered = (grant: Grant, change: Partial<Record<'role' | 'account' | 'namespace' | 'name', string>> = {}) => {
    const namespace = change.namespace ?? placeOf(grant.namespace);
    const name = change.role ?? grant.role;
    const rules = grant.rules.map(({ apiGroup, resource, verbs, resourceNamesFrom, ...rule }) => {
      const { resourceNames = resourceNamesFrom === undefined ? [] : ['model-key'] } = rule;
      const names = change.name === undefined ? resourceNames : resourceNames.map(() => change.name);
      return { apiGroups: [apiGroup], resources: [resource], verbs, resourceNames: names };
    });
    const subject = { kind: 'ServiceAccount', name: change.account ?? grant.identity, namespace: HOME };
    const bound = binding([subject]);
    return report([
      role(rules, 'Role', { name, namespace }),
      { ...bound, metadata: { name, namespace }, roleRef: { ...bound.roleRef, name } },
    ])[0];
  };
  const cases = grants.map((grant) => [`${grant.role} in ${grant.namespace}`, grant] as const);

  test.each(cases)('%s has its reasons, and nothing worse than to be known', (_, grant) => {
    const identity = rendered(grant);
    expect(identity?.access.map(({ why }) => why)).toEqual(grant.rules.map(({ why }) => why));
    for (const { severity } of identity?.findings ?? []) expect(severity).toBe('Info');
  });

  test('to be known is what the operator writes', () => {
    const found = rendered(operatorGoverned)?.findings.map(({ id }) => id);
    expect(found).toEqual([
      'RecordsForged',
      // The finalizer of a profile.
      'EgressDecided',
      'RecordsForged',
      'RecordsForged',
      'RecordsForged',
      'NetworkOpened',
      'NetworkOpened',
    ]);
  });

  test.each([
    ['another account', operatorGoverned, { account: 'somebody' }],
    ['another Role', operatorGoverned, { role: 'somebody' }],
    ['another namespace than that of the account', operatorInstall, { namespace: 'agents' }],
    ['another namespace than kube-system', inventorySystem, { namespace: 'agents' }],
    ['the right to run pods where the operator runs', probeCanaries, { namespace: HOME }],
    ...['kube-system', 'kube-public', 'kube-node-lease', 'default'].map(
      (namespace) => [`the right to run pods in ${namespace}`, probeCanaries, { namespace }] as const,
    ),
    ...['kube-system', 'kube-public', 'kube-node-lease'].map(
      (namespace) => [`a governed ${namespace}`, operatorGoverned, { namespace }] as const,
    ),
  ] as const)('%s has no reason of ours', (_, grant, change) => {
    const identity = rendered(grant, change);
    expect(identity?.access.map(({ why }) => why)).toEqual(grant.rules.map(() => undefined));
    for (const { severity } of identity?.findings ?? []) expect(severity).not.toBe('Info');
  });

  test('the namespace default may be governed: the chart lets it be', () => {
    const identity = rendered(operatorGoverned, { namespace: 'default' });
    expect(identity?.access.map(({ why }) => why)).toEqual(operatorGoverned.rules.map(({ why }) => why));
  });

  test('an install in a namespace of the cluster has no reason of ours', () => {
    const { role: name, rules } = inventoryInstall;
    const metadata = { name, namespace: 'kube-system' };
    const given = rules.map(({ apiGroup, resource, verbs, resourceNames }) =>
      of(apiGroup, verbs, resource, resourceNames === undefined ? {} : { resourceNames }),
    );
    const bound = binding([{ kind: 'ServiceAccount', name, namespace: 'kube-system' }]);
    const [found] = report([
      role(given, 'Role', metadata),
      { ...bound, metadata, roleRef: { ...bound.roleRef, name } },
    ]);
    expect(found?.findings.map(({ id, severity }) => [id, severity])).toEqual(
      given.map(() => ['RecordsForged', 'Medium']),
    );
  });

  test('nor have other names', () => {
    const named = operatorInstall.rules.map(({ resourceNames }) => resourceNames === undefined);
    const whys = rendered(operatorInstall, { name: 'other' })?.access.map(({ why }) => why !== undefined);
    expect(whys).toEqual(named);
  });

  test('nor what has no names where the values have to list them', () => {
    const [named] = operatorGoverned.rules.filter(({ resourceNamesFrom }) => resourceNamesFrom !== undefined);
    expect(named).toMatchObject({ resource: 'secrets', verbs: ['get'] });
    const rules = [of('', ['get'], 'secrets')];
    const { role: name, identity } = operatorGoverned;
    const bound = binding([{ kind: 'ServiceAccount', name: identity, namespace: HOME }]);
    const objects = [
      role(rules, 'Role', { name, namespace: 'agents' }),
      { ...bound, metadata: { name, namespace: 'agents' }, roleRef: { ...bound.roleRef, name } },
    ];
    const [found] = report(objects);
    expect(found?.access.map(({ why }) => why)).toEqual([undefined]);
    expect(found?.findings.map(({ id }) => id)).toEqual(['AnySecretRead']);
  });

  test('nor a ClusterRole of the name, although it is bound in the namespace', () => {
    const { role: name, identity, rules } = operatorGoverned;
    const bound = binding([{ kind: 'ServiceAccount', name: identity, namespace: HOME }], 'ClusterRole');
    const clusterRole = rules.map(({ apiGroup, resource, verbs }) => of(apiGroup, verbs, resource));
    const objects = [role(clusterRole, 'ClusterRole', { name }), { ...bound, roleRef: { ...bound.roleRef, name } }];
    expect(report(objects)[0]?.access.every(({ why }) => why === undefined)).toBe(true);
  });
});

describe('the right of the cluster', () => {
  const reads = (
    change: { readonly role?: string; readonly account?: string; readonly names?: readonly string[] } = {},
  ) => {
    const name = change.role ?? runtimeClassesRead.role;
    const { apiGroup, resource, verbs } = runtimeClassesRead.rule;
    const rules = [{ apiGroups: [apiGroup], resources: [resource], verbs, resourceNames: change.names ?? ['gvisor'] }];
    const subject = { kind: 'ServiceAccount', name: change.account ?? runtimeClassesRead.identity, namespace: 'any' };
    const bound = binding([subject], 'ClusterRole', 'ClusterRoleBinding');
    return report([role(rules, 'ClusterRole', { name }), { ...bound, roleRef: { ...bound.roleRef, name } }])[0];
  };

  test('has its reason, and nothing worse than to be known', () => {
    expect(reads()?.access.map(({ why }) => why)).toEqual([runtimeClassesRead.rule.why]);
    expect(reads()?.findings.map(({ id, severity }) => [id, severity])).toEqual([
      ['ClusterWide', 'Info'],
      ['ClusterRead', 'Info'],
    ]);
  });

  test.each([
    ['another ClusterRole', { role: 'other' }],
    ['another account', { account: 'other' }],
    ['every name', { names: [] }],
  ])('has none as %s', (_, change) => {
    expect(reads(change)?.access.map(({ why }) => why)).toEqual([undefined]);
    expect(reads(change)?.findings.map(({ severity }) => severity)).toContain('Medium');
  });
});

describe('the probe', () => {
  const PROBE = { kind: 'ServiceAccount', name: probeCanaries.identity, namespace: 'home' };
  const rules = probeCanaries.rules.map(({ apiGroup, resource, verbs, resourceNames = [] }) => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs,
    resourceNames,
  }));
  const canaries = [
    role(rules, 'Role', { name: probeCanaries.role }),
    { ...binding([PROBE]), roleRef: { kind: 'Role', name: probeCanaries.role } },
  ];
  const governing = (home: string) => [
    role([], 'Role', { name: operatorGoverned.role }),
    {
      ...binding([{ kind: 'ServiceAccount', name: operatorGoverned.identity, namespace: home }]),
      metadata: { name: 'operator', namespace: 'a' },
      roleRef: { kind: 'Role', name: operatorGoverned.role },
    },
  ];
  const found = (objects: readonly object[]) => report(objects).find(({ name }) => name === PROBE.name)?.findings;

  test('has its reasons in a namespace of its own', () => {
    expect(found(canaries)?.some(isDangerous)).toBe(false);
    expect(found([...canaries, ...governing('elsewhere')])?.some(isDangerous)).toBe(false);
  });

  test('has none where its install governs: it could run pods as those who are governed', () => {
    expect(found([...canaries, ...governing('home')])?.some(isDangerous)).toBe(true);
  });
});

describe("what a platform admin adds to the customer's own roles", () => {
  const added = (to: string, rules: readonly object[], name = customerRoleName(to)) =>
    report([role(rules, 'ClusterRole', { name, labels: { [`${GROUP}/aggregate-to-${to}`]: 'true' } })])[0];
  const asGranted = (to: keyof typeof customerRoles, more: readonly string[] = []) =>
    customerRoles[to].map(({ resources, verbs }) => ({
      apiGroups: ['agentplane.dev'],
      resources,
      verbs: [...verbs, ...more],
    }));

  test.each(Object.keys(customerRoles) as (keyof typeof customerRoles)[])(
    '%s has its reasons, and nothing worse than to be known',
    (to) => {
      const identity = added(to, asGranted(to));
      expect(identity?.access.map(({ why }) => why)).toEqual(customerRoles[to].map(({ why }) => why));
      for (const { severity } of identity?.findings ?? []) expect(severity).toBe('Info');
    },
  );

  test('to be known is that admins decide', () => {
    expect(added('admin', asGranted('admin'))?.findings.map(({ id }) => id)).toEqual(['EgressDecided']);
  });

  test.each([
    ['another role of ours', added('edit', asGranted('admin'))],
    ['another name', added('admin', asGranted('admin'), 'somebody')],
    ['more verbs', added('admin', asGranted('admin', ['update']))],
    [
      'paths',
      added(
        'admin',
        asGranted('admin').map((each) => ({ ...each, nonResourceURLs: ['/logs'] })),
      ),
    ],
  ])('but not by %s', (_, identity) => {
    expect(identity?.findings.some(isDangerous)).toBe(true);
  });
});
