import { describe, expect, test } from 'vitest';
import { account, binding, of, report, role, rule } from './testing.ts';

const bindingOf = (name: string, kind = 'RoleBinding', subject: object = account) => {
  const bound = binding([subject], 'ClusterRole', kind);
  return { ...bound, roleRef: { ...bound.roleRef, name } };
};
const clusterRole = (name: string, rules: readonly object[]) => role(rules, 'ClusterRole', { name });
const found = (objects: readonly object[], name = 'sa') =>
  report(objects).find((identity) => identity.name === name)?.findings ?? [];
const ids = (objects: readonly object[], name = 'sa') => found(objects, name).map(({ id }) => id);
const high = (objects: readonly object[], name = 'sa') => [
  ...new Set(
    found(objects, name)
      .filter(({ severity }) => severity === 'High')
      .map(({ id }) => id),
  ),
];

describe('a role that Kubernetes creates, bound by manifests that do not hold it', () => {
  test('cluster-admin grants everything', () => {
    expect(high([bindingOf('cluster-admin')])).toEqual(['Wildcard']);
    expect(ids([bindingOf('cluster-admin', 'ClusterRoleBinding')])).toEqual(['ClusterWide', 'Wildcard', 'Wildcard']);
    expect(report([bindingOf('cluster-admin')])[0]?.lacks).toEqual([]);
  });

  test('edit gives Secrets, pods and accounts away, admin also rights, and the cluster may have added to both', () => {
    const ofEdit = ['SecretsListed', 'AnySecretRead', 'SecretsWritten', 'Impersonate', 'TokensMade', 'PodsEntered'];
    expect(high([bindingOf('edit')])).toEqual(ofEdit);
    expect(high([bindingOf('admin')])).toEqual([...ofEdit, 'RightsWritten']);
    for (const name of ['edit', 'admin']) expect(ids([bindingOf(name)])).toContain('RightsUnknown');
    expect(ids([bindingOf('edit')])).toEqual(expect.arrayContaining(['WorkloadsWritten', 'NetworkOpened', 'LogsRead']));
    expect(report([bindingOf('edit')])[0]?.lacks).toBeUndefined();
  });

  test.each(['view', 'system:auth-delegator'])('%s is not known, and it is said whose it is', (name) => {
    expect(found([bindingOf(name)])).toMatchObject([
      { id: 'RightsUnknown', severity: 'Medium', why: expect.stringContaining('Kubernetes') },
    ]);
  });

  test.each(['cluster-admins', 'edit:mine', 'systems', 'constructor'])('%s is none of them', (name) => {
    const [finding] = found([bindingOf(name)]);
    expect(finding).toMatchObject({ id: 'RightsUnknown', why: expect.not.stringContaining('Kubernetes') });
    expect(ids([clusterRole(name, [rule(['get'], 'pods')]), bindingOf(name)])).toEqual([]);
  });

  test('nor is a Role of the name', () => {
    const bound = bindingOf('edit');
    const objects = [role([rule(['get'], 'pods')], 'Role', { name: 'edit' })];
    expect(ids([...objects, { ...bound, roleRef: { ...bound.roleRef, kind: 'Role' } }])).toEqual([]);
  });
});

describe('a role of such a name among the manifests', () => {
  const harmless = [rule(['get'], 'pods')];

  test('hides nothing of what the cluster grants under that name', () => {
    expect(high([clusterRole('cluster-admin', harmless), bindingOf('cluster-admin')])).toEqual(['Wildcard']);
    expect(high([clusterRole('edit', harmless), bindingOf('edit')])).toEqual(high([bindingOf('edit')]));
    for (const name of ['view', 'system:auth-delegator']) {
      expect(ids([clusterRole(name, harmless), bindingOf(name)])).toEqual(['RightsUnknown']);
    }
  });

  test('adds what it says', () => {
    const objects = [clusterRole('view', [rule(['list'], 'secrets')]), bindingOf('view')];
    expect(ids(objects)).toEqual(['RightsUnknown', 'SecretsListed']);
  });

  test('is what it says where it was read from the cluster', () => {
    const objects = [clusterRole('edit', harmless), bindingOf('edit')];
    expect(report(objects, 'cluster')[0]?.findings).toEqual([]);
    expect(report([bindingOf('edit')], 'cluster')[0]?.findings).toMatchObject([
      { id: 'RightsUnknown', why: expect.not.stringContaining('Kubernetes') },
    ]);
  });
});

describe('a role that everybody has', () => {
  const secrets = [rule(['get'], 'secrets')];

  test.each([
    ['system:basic-user', ['system:authenticated']],
    ['system:discovery', ['system:authenticated']],
    ['system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']],
    ['system:service-account-issuer-discovery', ['system:serviceaccounts']],
  ])('%s gives what is written into it away, although nothing binds it', (name, groups) => {
    const identities = report([clusterRole(name, secrets)]);
    expect(identities.map((identity) => identity.name)).toEqual(groups);
    for (const group of groups) {
      expect(high([clusterRole(name, secrets)], group)).toEqual(['BroadSubject', 'AnySecretRead']);
    }
    expect(report([clusterRole(name.replace('system:', ''), secrets)])).toEqual([]);
    expect(report([clusterRole(name, secrets)], 'cluster')).toEqual([]);
  });

  test('gives away nothing new where it is as Kubernetes makes it, or less', () => {
    const paths = (...nonResourceURLs: readonly string[]) => [{ verbs: ['get'], nonResourceURLs }];
    expect(report([clusterRole('system:discovery', paths('/api', '/apis/*'))])).toEqual([]);
    expect(report([clusterRole('system:discovery', paths('/api', '/logs/*'))])).toHaveLength(1);
    const review = (verb: string) => [of('authorization.k8s.io', [verb], 'selfsubjectaccessreviews')];
    expect(report([clusterRole('system:basic-user', review('create'))])).toEqual([]);
    expect(report([clusterRole('system:basic-user', review('*'))])).toHaveLength(1);
  });

  test('gives away what it collects by label, which nobody can tell', () => {
    const collecting = { ...clusterRole('system:discovery', []), aggregationRule: { clusterRoleSelectors: [] } };
    expect(ids([collecting], 'system:authenticated')).toEqual(['BroadSubject', 'ClusterWide', 'RightsUnknown']);
  });

  test('is told once where the binding is among the manifests as well', () => {
    const group = { kind: 'Group', name: 'system:authenticated' };
    const bound = bindingOf('system:discovery', 'ClusterRoleBinding', group);
    const told = ids([clusterRole('system:discovery', secrets), bound], group.name);
    expect(told.filter((id) => id === 'BroadSubject')).toHaveLength(1);
    // The binding of the name is there, but not for everybody: that of the cluster is.
    const decoy = bindingOf('system:discovery', 'ClusterRoleBinding');
    expect(high([clusterRole('system:discovery', secrets), decoy], group.name)).toContain('BroadSubject');
  });
});
