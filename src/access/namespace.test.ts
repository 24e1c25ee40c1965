import { describe, expect, test } from 'vitest';
import { isDangerous } from './findings.ts';
import { accessIn } from './namespace.ts';
import { binding, report, role, rule } from './testing.ts';

const sa = (namespace: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa', namespace } });
const group = (name: string) => ({ kind: 'Group', name });
const clusterRole = (name: string, rules: readonly object[]) => role(rules, 'ClusterRole', { name });
const bindingOf = (name: string, subject: object) => {
  const bound = binding([subject], 'ClusterRole', 'ClusterRoleBinding');
  return { ...bound, metadata: { name }, roleRef: { ...bound.roleRef, name } };
};
const paths = (...nonResourceURLs: readonly string[]) => ({ verbs: ['get'], nonResourceURLs });
const discovery = [
  clusterRole('system:discovery', [paths('/api', '/api/*', '/healthz')]),
  bindingOf('system:discovery', group('system:authenticated')),
];
const shown = (objects: readonly object[]) =>
  accessIn('a', report([sa('a'), ...objects], 'cluster')).map(({ kind, name }) => `${kind} ${name}`);

describe('the report of a namespace', () => {
  test('holds its accounts, and nobody of another namespace', () => {
    const identities = report([sa('a'), sa('b'), role([rule(['get'], 'pods')]), binding([group('people')])], 'cluster');
    expect(accessIn('a', identities)).toMatchObject([{ kind: 'ServiceAccount', namespace: 'a', name: 'sa' }]);
    expect(accessIn('c', identities)).toEqual([]);
  });

  test.each(['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'])(
    'holds Group %s, which its accounts are in, where something dangerous is granted to it',
    (name) => {
      const admin = [clusterRole('cluster-admin', [rule(['*'], '*')]), bindingOf('cluster-admin', group(name))];
      expect(shown(admin)).toEqual([`Group ${name}`, 'ServiceAccount sa']);
    },
  );

  test('holds no group of others', () => {
    for (const name of ['system:serviceaccounts:b', 'people', 'system:masters']) {
      expect(shown([clusterRole('r', [rule(['*'], '*')]), bindingOf('r', group(name))])).toEqual(['ServiceAccount sa']);
    }
  });

  test('does not complain of what Kubernetes grants to everybody', () => {
    expect(shown(discovery)).toEqual(['ServiceAccount sa']);
  });

  test('but of what somebody has added to that', () => {
    const [, bound = {}] = discovery;
    const more = [clusterRole('system:discovery', [paths('/api/*'), rule(['list'], 'secrets')]), bound];
    expect(shown(more)).toEqual(['Group system:authenticated', 'ServiceAccount sa']);
  });

  test('and of what is granted beside it: that of Kubernetes is only to be known', () => {
    const objects = [
      ...discovery,
      clusterRole('mine', [rule(['list'], 'secrets')]),
      bindingOf('mine', group('system:authenticated')),
    ];
    const [everybody] = accessIn('a', report([sa('a'), ...objects], 'cluster'));
    const roles = (dangerous: boolean) =>
      new Set(
        everybody?.findings.filter((finding) => isDangerous(finding) === dangerous).map((each) => each.role.name),
      );
    expect(roles(true)).toEqual(new Set(['mine']));
    expect(roles(false)).toEqual(new Set(['system:discovery']));
  });

  test('complains of a role of the name that cannot be read', () => {
    expect(shown([bindingOf('system:discovery', group('system:authenticated'))])).toHaveLength(2);
  });
});
