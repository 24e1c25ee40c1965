import { describe, expect, test } from 'vitest';
import { parseManifests } from '../manifests/parse.ts';
import { renderAccessJson, renderAccessTable } from './render.ts';
import { rolesWithoutReport } from './report.ts';
import { account, binding, GROUP, report, role, rule } from './testing.ts';

const plain = { title: (text: string) => text, bad: (text: string) => text };

describe('whose access it is', () => {
  test('an account of another namespace has it where the binding is', () => {
    const [identity] = report([role([rule(['get'], 'pods')]), binding([account])]);
    expect(identity).toMatchObject({ kind: 'ServiceAccount', namespace: 'x', name: 'sa' });
    expect(identity?.access).toMatchObject([{ namespace: 'a', resources: ['pods'], verbs: ['get'] }]);
  });

  test('a subject without a namespace is of the namespace of the binding', () => {
    expect(report([binding([{ kind: 'ServiceAccount', name: 'sa' }])])[0]).toMatchObject({ namespace: 'a' });
  });

  test('an account that nothing is bound to may do nothing', () => {
    const [identity] = report([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } }]);
    expect(identity).toMatchObject({ namespace: 'default', access: [], findings: [] });
  });

  test('a Role of another namespace is not the one that is bound', () => {
    const [identity] = report([role([rule(['get'], 'pods')], 'Role', { namespace: 'b' }), binding([account])]);
    expect(identity?.access).toEqual([]);
    expect(identity?.findings).toMatchObject([{ id: 'RightsUnknown', namespace: 'a' }]);
  });

  test('a ClusterRole in a RoleBinding grants in one namespace', () => {
    const [identity] = report([role([rule(['get'], 'pods')], 'ClusterRole'), binding([account], 'ClusterRole')]);
    expect(identity).toMatchObject({ access: [{ namespace: 'a' }], findings: [] });
  });

  test('in a ClusterRoleBinding it grants everywhere, which is told', () => {
    const objects = [
      role([rule(['get'], 'pods')], 'ClusterRole'),
      binding([account], 'ClusterRole', 'ClusterRoleBinding'),
    ];
    expect(report(objects)[0]?.findings).toMatchObject([{ id: 'ClusterWide', namespace: undefined }]);
  });

  test('what a ClusterRole collects by label is not known from the manifests', () => {
    const collecting = { ...role([], 'ClusterRole'), aggregationRule: { clusterRoleSelectors: [] } };
    expect(report([collecting, binding([account], 'ClusterRole')])[0]?.findings).toMatchObject([
      { id: 'RightsUnknown' },
    ]);
  });

  test('manifests that say nothing grant nothing, and harm nothing', () => {
    const odd = [
      { ...role([]), rules: [{}, { verbs: null, resources: [null] }] },
      { ...binding([]), roleRef: null, subjects: [{}] },
    ];
    expect(() => renderAccessJson(report(odd))).not.toThrow();
  });
});

describe('whose access it is, by another name', () => {
  const reads = [role([rule(['get'], 'pods')]), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } }];

  test('an account that is bound as a user', () => {
    const identities = report([...reads, binding([{ kind: 'User', name: 'system:serviceaccount:default:sa' }])]);
    expect(identities).toMatchObject([{ kind: 'ServiceAccount', namespace: 'default', name: 'sa', access: [{}] }]);
  });

  test('somebody whose name only resembles that is a user', () => {
    const [, user] = report([...reads, binding([{ kind: 'User', name: 'system:serviceaccount:sa' }])]);
    expect(user).toMatchObject({ kind: 'User', name: 'system:serviceaccount:sa', access: [{}] });
  });

  test.each(['system:authenticated', 'system:serviceaccounts', 'system:serviceaccounts:default'])(
    'an account has what Group %s has',
    (name) => {
      const objects = [...reads, binding([{ kind: 'Group', name }])];
      const identity = report(objects).find(({ kind }) => kind === 'ServiceAccount');
      expect(identity).toMatchObject({ access: [], groups: [name] });
      expect(renderAccessTable(report(objects), plain)).toContain(`has also what is granted to Group ${name}`);
    },
  );

  test.each(['system:serviceaccounts:other', 'people'])('but not what Group %s has', (name) => {
    const identity = report([...reads, binding([{ kind: 'Group', name }])]).find(({ kind }) => kind !== 'Group');
    expect(identity).toMatchObject({ access: [], groups: [] });
  });

  test('what is added to a ClusterRole is granted to whoever has that role', () => {
    const labels = { [`${GROUP}/aggregate-to-view`]: 'true', [`${GROUP}/aggregate-to-edit`]: 'false' };
    const identities = report([role([rule(['list'], 'secrets')], 'ClusterRole', { labels })]);
    expect(identities).toMatchObject([
      { kind: 'ClusterRole', name: 'view', access: [{ resources: ['secrets'] }], findings: [{ id: 'SecretsListed' }] },
    ]);
    expect(renderAccessTable(identities, plain)).toContain('SecretsListed in (where it is bound)');
  });

  test('a Role adds to nothing', () => {
    const labels = { [`${GROUP}/aggregate-to-view`]: 'true' };
    expect(report([role([rule(['list'], 'secrets')], 'Role', { labels })])).toEqual([]);
  });
});

describe('roles that nobody among the manifests has', () => {
  const unbound = (objects: readonly object[]) =>
    rolesWithoutReport(
      parseManifests('f', objects.map((object) => JSON.stringify(object)).join('\n---\n')).manifests,
      'default',
    );
  const reads = role([rule(['get'], 'pods')]);

  test('are named, and what is bound is none', () => {
    expect(unbound([reads])).toEqual(['Role a/r']);
    expect(unbound([role([], 'ClusterRole')])).toEqual(['ClusterRole r']);
    expect(unbound([reads, binding([account])])).toEqual([]);
    expect(unbound([role([], 'ClusterRole'), binding([account], 'ClusterRole')])).toEqual([]);
  });

  test('nobody has a role of another namespace, nor one that is bound to nobody', () => {
    expect(unbound([role([], 'Role', { namespace: 'b' }), binding([account])])).toEqual(['Role b/r']);
    expect(unbound([reads, binding([])])).toEqual(['Role a/r']);
  });

  test('what adds to another role is in the report, and so is what everybody has', () => {
    expect(unbound([role([], 'ClusterRole', { labels: { [`${GROUP}/aggregate-to-view`]: 'true' } })])).toEqual([]);
    const secrets = [rule(['get'], 'secrets')];
    expect(unbound([role(secrets, 'ClusterRole', { name: 'system:discovery' })])).toEqual([]);
    expect(unbound([role(secrets, 'ClusterRole', { name: 'view' })])).toEqual([]);
  });
});

describe('a role that Kubernetes creates for customers', () => {
  const secrets = [rule(['get'], 'secrets')];

  test.each(['view', 'edit', 'admin', 'cluster-admin', 'system:auth-delegator'])(
    '%s: what a manifest writes into it is granted to whoever has it',
    (name) => {
      const identities = report([role(secrets, 'ClusterRole', { name })]);
      expect(identities).toMatchObject([
        { kind: 'ClusterRole', name, findings: [{ id: 'AnySecretRead', binding: { kind: 'BuiltIn', name } }] },
      ]);
      expect(renderAccessTable(identities, plain)).toContain('AnySecretRead in (where it is bound)');
    },
  );

  test('is bound in the whole cluster where it is for Kubernetes itself', () => {
    const severity = (name: string) =>
      report([role([rule(['create'], 'pods')], 'ClusterRole', { name })])[0]?.findings[0]?.severity;
    expect(severity('system:node-proxier')).toBe('High');
    expect(severity('view')).toBe('Medium');
  });

  test('is as it is in the cluster where it was read from there', () => {
    expect(report([role(secrets, 'ClusterRole', { name: 'view' })], 'cluster')).toEqual([]);
  });

  test('a Role of its name is another one', () => {
    expect(report([role(secrets, 'Role', { name: 'view' })])).toEqual([]);
  });
});
