import { describe, expect, test } from 'vitest';
import { InputError } from '../manifests/manifest.ts';
import { parseManifests } from '../manifests/parse.ts';
import { accessObjects } from './objects.ts';
import { account, binding, role, rule } from './testing.ts';

const read = (...objects: readonly object[]) => {
  const text = objects.map((object) => JSON.stringify(object, undefined, 1)).join('\n---\n');
  return accessObjects(parseManifests('f', text).manifests, 'home');
};
const rulesOf = (value: unknown) => read({ ...role([]), rules: value }).roles.map(({ rules }) => rules)[0];
const subjectsOf = (value: unknown) => read({ ...binding([]), subjects: value }).bindings[0]?.subjects;
const roleOf = (value: unknown) => read({ ...binding([]), roleRef: value }).bindings[0]?.role;
const EMPTY = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

function refusalOf(act: () => unknown): InputError {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
  }
  throw new Error('it was not refused');
}

describe('null is read as the API server reads it', () => {
  test.each(['apiGroups', 'resources', 'verbs', 'resourceNames', 'nonResourceURLs'])('in %s, the empty text', (key) => {
    expect(rulesOf([{ [key]: [null, 'a'] }])).toEqual([{ ...EMPTY, [key]: ['', 'a'] }]);
  });

  test('an item that is left out', () => {
    const text =
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules:\n- apiGroups:\n  - \n';
    expect(accessObjects(parseManifests('f', text).manifests, 'home').roles[0]?.rules).toEqual([
      { ...EMPTY, apiGroups: [''] },
    ]);
  });

  test('in place of a list, a mapping or a text: as if it were not there', () => {
    expect(rulesOf(null)).toEqual([]);
    expect(rulesOf([{ verbs: null }])).toEqual([EMPTY]);
    expect(subjectsOf(null)).toEqual([]);
    expect(subjectsOf([{ ...account, namespace: null }])).toEqual([{ ...account, namespace: 'a' }]);
    expect(roleOf(null)).toEqual({ kind: '', name: '' });
  });
});

describe('what the API server would not read is refused, with its place', () => {
  test.each([
    ['rules[0].verbs[1] is a number', () => rulesOf([rule(['get', 1 as never], 'pods')])],
    ['rules[0].verbs[0] is a boolean', () => rulesOf([rule([true as never], 'pods')])],
    ['rules[0].resources[0] is a list', () => rulesOf([rule(['get'], ['secrets'] as never)])],
    ['rules[0].apiGroups[0] is a mapping', () => rulesOf([rule(['get'], 'pods', { apiGroups: [{ '*': null }] })])],
    ['rules[0].verbs is a string', () => rulesOf([rule('*' as never, 'pods')])],
    ['rules[0].resourceNames is a mapping', () => rulesOf([rule([], 'pods', { resourceNames: {} })])],
    ['rules[0].nonResourceURLs is a boolean', () => rulesOf([rule([], 'pods', { nonResourceURLs: false })])],
    ['rules[1] is nothing', () => rulesOf([rule([], 'pods'), null])],
    ['rules[0] is a list', () => rulesOf([[rule([], 'pods')]])],
    ['rules is a mapping', () => rulesOf({ 0: rule([], 'pods') })],
    ['subjects[0].namespace is a number', () => subjectsOf([{ ...account, namespace: 1 }])],
    ['subjects[0].name is a list', () => subjectsOf([{ ...account, name: ['sa'] }])],
    ['subjects[0].kind is a boolean', () => subjectsOf([{ ...account, kind: true }])],
    ['subjects[0] is a string', () => subjectsOf(['sa'])],
    ['subjects is a mapping', () => subjectsOf(account)],
    ['roleRef.name is a number', () => roleOf({ kind: 'Role', name: 1 })],
    ['roleRef.kind is a mapping', () => roleOf({ kind: {}, name: 'r' })],
    ['roleRef.apiGroup is a number', () => roleOf({ kind: 'Role', name: 'r', apiGroup: 1 })],
    ['subjects[0].apiGroup is a number', () => subjectsOf([{ ...account, apiGroup: 1 }])],
    ['roleRef is a list', () => roleOf([{ kind: 'Role', name: 'r' }])],
    ['metadata.namespace is a number', () => read(role([], 'Role', { namespace: 1 }))],
  ])('%s', (message, act) => {
    expect(refusalOf(act).problems).toEqual([
      {
        file: 'f',
        line: expect.any(Number),
        message: expect.stringContaining(`${message}, which the API server refuses`),
      },
    ]);
  });

  test('that is its line, and what it has to be', () => {
    const refused = refusalOf(() => rulesOf([rule(['get', 1 as never], 'pods')]));
    expect(refused.message).toBe(
      'f:18: rules[0].verbs[1] is a number, which the API server refuses: it has to be a text',
    );
  });

  test.each(['Role', 'ClusterRoleBinding'])('nor is a %s in the form of OpenShift, which is not read', (kind) => {
    const ofOpenShift = { apiVersion: 'authorization.openshift.io/v1', kind, metadata: { name: 'r' } };
    expect(refusalOf(() => read(ofOpenShift)).message).toContain('write it as rbac.authorization.k8s.io/v1');
    expect(read({ ...ofOpenShift, kind: 'Group' })).toEqual({ accounts: [], roles: [], bindings: [] });
  });

  test('but not in what grants nothing', () => {
    expect(read({ apiVersion: 'example.com/v1', kind: 'Role', metadata: { name: 'r' }, rules: [1] }).roles).toEqual([]);
  });
});

test.each([[''], [null], ['home'], [undefined]])(
  'a namespace that is %j is that of objects that name none',
  (namespace) => {
    const serviceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa', namespace } };
    const found = read(
      role([], 'Role', { namespace }),
      { ...binding([{ kind: 'ServiceAccount', name: 'sa', namespace }]), metadata: { name: 'b', namespace } },
      serviceAccount,
    );
    expect(found).toMatchObject({
      roles: [{ namespace: 'home' }],
      bindings: [{ namespace: 'home', subjects: [{ namespace: 'home' }] }],
      accounts: [{ namespace: 'home' }],
    });
  },
);
