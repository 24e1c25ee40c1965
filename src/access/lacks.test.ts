import { describe, expect, test } from 'vitest';
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { DANGEROUS_PATHS } from './dangerous-path.ts';
import { account, binding, GROUP, report, role, rule } from './testing.ts';

const EVERY = [...DANGEROUS_RIGHTS, ...DANGEROUS_PATHS].map(({ id }) => id);
const lacks = (objects: readonly object[]) => report(objects).find(({ name }) => name === 'sa')?.lacks;

describe('what an identity lacks of what is dangerous', () => {
  test('is everything that none of its rights reaches', () => {
    const objects = [role([rule(['list'], 'secrets'), rule(['get'], 'pods')]), binding([account])];
    expect(lacks(objects)).toEqual(EVERY.filter((id) => id !== 'SecretsListed'));
    expect(lacks([role([rule(['get'], 'pods')]), binding([account])])).toEqual(EVERY);
  });

  test('is not what a group gives to it', () => {
    const groups = [{ kind: 'Group', name: 'system:serviceaccounts:x' }];
    const subject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa', namespace: 'x' } };
    expect(lacks([subject, role([rule(['list'], 'secrets')]), binding(groups)])).toEqual(
      EVERY.filter((id) => id !== 'SecretsListed'),
    );
  });

  test('is not what every user has', () => {
    const groups = [
      { kind: 'Group', name: 'system:authenticated' },
      { kind: 'Group', name: 'system:unauthenticated' },
    ];
    const objects = [role([rule(['list'], 'secrets')]), binding([...groups, { kind: 'User', name: 'alice' }])];
    const lacksOf = (user: string) => report(objects).find(({ name }) => name === user)?.lacks;
    expect(lacksOf('alice')).toEqual(EVERY.filter((id) => id !== 'SecretsListed'));
    const others = [role([rule(['get'], 'pods')]), binding([{ kind: 'User', name: 'system:anonymous' }])];
    const hidden = [
      { ...role([rule(['list'], 'secrets')], 'Role', { name: 's' }) },
      { ...binding(groups), metadata: { name: 's', namespace: 'a' }, roleRef: { kind: 'Role', name: 's' } },
    ];
    expect(report([...others, ...hidden]).find(({ name }) => name === 'system:anonymous')?.lacks).not.toContain(
      'SecretsListed',
    );
  });

  test('of a group is not what its members have anyway, and of that of every right nothing', () => {
    const groups = ['devs', 'system:serviceaccounts:x', 'system:masters'].map((name) => ({ kind: 'Group', name }));
    const everybody = { kind: 'Group', name: 'system:authenticated' };
    const identities = report([role([rule(['list'], 'secrets')]), binding([...groups.slice(0, 2), everybody])]);
    for (const { lacks: ids } of identities) expect(ids).not.toContain('SecretsListed');
    const hidden = [
      role([rule(['get'], 'pods')], 'Role', { name: 's' }),
      { ...binding(groups), metadata: { name: 's', namespace: 'a' }, roleRef: { kind: 'Role', name: 's' } },
      role([rule(['list'], 'secrets')]),
      binding([everybody]),
    ];
    const lacksOf = (group: string) => report(hidden).find(({ name }) => name === group)?.lacks;
    expect(lacksOf('devs')).toEqual(EVERY.filter((id) => id !== 'SecretsListed'));
    expect(lacksOf('system:serviceaccounts:x')).toEqual(EVERY.filter((id) => id !== 'SecretsListed'));
    expect(lacksOf('system:masters')).toEqual([]);
  });

  test('cannot be told of a role that has rights beside those that were read', () => {
    const harmless = [rule(['get'], 'pods')];
    const labels = { [`${GROUP}/aggregate-to-admin`]: 'true' };
    for (const name of ['edit', 'view', 'cluster-admin', 'system:node']) {
      expect(report([role(harmless, 'ClusterRole', { name })])[0]).toMatchObject({ name, lacks: undefined });
    }
    expect(report([role(harmless, 'ClusterRole', { labels })])[0]).toMatchObject({ name: 'admin', lacks: undefined });
  });

  test('is told beside the paths that everybody may read', () => {
    const paths = { verbs: ['get'], nonResourceURLs: ['/api', '/api/*'] };
    const objects = [role([paths], 'ClusterRole'), binding([account], 'ClusterRole', 'ClusterRoleBinding')];
    expect(lacks(objects)).toEqual(EVERY);
  });

  test('is nothing beside a wildcard, and cannot be told of a role that was not read', () => {
    expect(lacks([role([rule(['*'], 'pods')]), binding([account])])).toEqual([]);
    expect(lacks([binding([account])])).toBeUndefined();
  });
});
