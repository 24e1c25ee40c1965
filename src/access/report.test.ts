import { describe, expect, test } from 'vitest';
import { grants } from '../../rbac/rules.ts';
import { parseManifests } from '../manifests/parse.ts';
import { renderAccessJson, renderAccessMarkdown, renderAccessTable } from './render.ts';
import { accessReport } from './report.ts';

const GROUP = 'rbac.authorization.k8s.io';
const plain = { title: (text: string) => text, bad: (text: string) => text };

function report(objects: readonly object[]) {
  return accessReport(
    parseManifests('f', objects.map((object) => JSON.stringify(object)).join('\n---\n')).manifests,
    'default',
  );
}

const role = (rules: readonly object[], kind = 'Role', metadata: object = {}) => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: 'r', ...(kind === 'Role' ? { namespace: 'a' } : {}), ...metadata },
  rules,
});

const binding = (subjects: readonly object[], roleKind = 'Role', kind = 'RoleBinding') => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name: 'b', ...(kind === 'RoleBinding' ? { namespace: 'a' } : {}) },
  roleRef: { apiGroup: GROUP, kind: roleKind, name: 'r' },
  subjects,
});

const account = { kind: 'ServiceAccount', name: 'sa', namespace: 'x' };
const rule = (verbs: readonly string[], resource: string, more: object = {}) => ({
  apiGroups: [''],
  resources: [resource],
  verbs,
  ...more,
});
const findings = (rules: readonly object[]) =>
  report([role(rules), binding([account])])[0]?.findings.map(({ id }) => id);

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

  test('manifests that say nonsense grant nothing, and harm nothing', () => {
    const odd = [
      { ...role([]), rules: [null, 7, { verbs: 'get', resources: [1] }] },
      { ...binding([]), subjects: [null, {}] },
    ];
    expect(() => renderAccessJson(report(odd))).not.toThrow();
  });
});

describe('what is plainly dangerous, and its harmless twin', () => {
  test.each([
    ['SecretsListed', rule(['list'], 'secrets'), rule(['list'], 'configmaps')],
    [
      'SecretsListed',
      rule(['watch'], 'secrets', { resourceNames: ['a'] }),
      rule(['get'], 'secrets', { resourceNames: ['a'] }),
    ],
    ['AnySecretRead', rule(['get'], 'secrets'), rule(['get'], 'secrets', { resourceNames: ['a'] })],
    ['SecretsWritten', rule(['create'], 'secrets'), rule(['create'], 'configmaps')],
    ['TokensMade', rule(['create'], 'serviceaccounts/token'), rule(['create'], 'serviceaccounts')],
    ['Escalate', rule(['escalate'], 'clusterroles', { apiGroups: [GROUP] }), rule(['escalate'], 'clusterroles')],
    ['Bind', rule(['bind'], 'roles', { apiGroups: [GROUP] }), rule(['get'], 'roles', { apiGroups: [GROUP] })],
    [
      'RightsWritten',
      rule(['patch'], 'rolebindings', { apiGroups: [GROUP] }),
      rule(['list'], 'rolebindings', { apiGroups: [GROUP] }),
    ],
    ['Impersonate', rule(['impersonate'], 'users'), rule(['impersonate'], 'pods')],
    [
      'Impersonate',
      rule(['impersonate'], 'userextras/scopes', { apiGroups: ['authentication.k8s.io'] }),
      rule(['get'], 'users'),
    ],
    ['PodsEntered', rule(['get'], 'pods/exec'), rule(['get'], 'pods')],
    ['PodsEntered', rule(['create'], 'nodes/proxy'), rule(['list'], 'nodes')],
    ['PodsExtended', rule(['patch'], 'pods/ephemeralcontainers'), rule(['get'], 'pods/ephemeralcontainers')],
    [
      'AdmissionWritten',
      rule(['delete'], 'validatingadmissionpolicies', { apiGroups: ['admissionregistration.k8s.io'] }),
      rule(['get'], 'validatingadmissionpolicies', { apiGroups: ['admissionregistration.k8s.io'] }),
    ],
    ['Wildcard', rule(['*'], 'pods'), rule(['get'], 'pods')],
    ['Wildcard', rule(['get'], '*'), rule(['get'], 'pods/status')],
    ['Wildcard', rule(['get'], '*/scale'), rule(['get'], 'deployments/scale')],
    ['Wildcard', rule(['get'], 'pods', { apiGroups: ['*'] }), rule(['get'], 'pods', { apiGroups: ['apps'] })],
    ['Wildcard', { verbs: ['get'], nonResourceURLs: ['/api/*'] }, { verbs: ['get'], nonResourceURLs: ['/healthz'] }],
  ])('%s: %j', (id, dangerous, harmless) => {
    expect(findings([dangerous])).toEqual([id]);
    expect(findings([harmless])).toEqual([]);
  });

  test.each(['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts:a', 'system:masters'])(
    '%s',
    (name) => {
      const to = (group: string) =>
        report([role([rule(['get'], 'pods')]), binding([{ kind: 'Group', name: group }])])[0];
      expect(to(name)?.findings.map(({ id }) => id)).toEqual(['BroadSubject']);
      expect(to(`not-${name}`)?.findings).toEqual([]);
    },
  );
});

describe('reasons', () => {
  test('are those of the table that the charts are generated from', () => {
    const [grant] = grants;
    const rules = grant?.rules.map(({ apiGroup, resource, verbs }) => ({
      apiGroups: [apiGroup],
      resources: [resource],
      verbs,
    }));
    const own = { kind: 'ServiceAccount', name: grant?.identity, namespace: 'x' };
    const whys = (subject: object) => report([role(rules ?? []), binding([subject])])[0]?.access.map(({ why }) => why);
    expect(whys(own)).toEqual(grant?.rules.map(({ why }) => why));
    expect(whys(account)).toEqual(rules?.map(() => undefined));
  });
});

describe('rendering', () => {
  const hostile = report([role([rule(['get'], 'po\u001b[31md|s')]), binding([{ ...account, name: 's\u001ba' }])]);

  test('nothing steers the terminal or breaks the table', () => {
    expect(renderAccessTable(hostile, plain)).toContain('ServiceAccount x/s\\u{1b}a');
    expect(renderAccessMarkdown(hostile)).toContain('po\\u{1b}[31md\\|s');
  });

  test('JSON says null for everywhere and for no reason', () => {
    const objects = [
      role([rule(['get'], 'pods')], 'ClusterRole'),
      binding([account], 'ClusterRole', 'ClusterRoleBinding'),
    ];
    expect(JSON.parse(renderAccessJson(report(objects)))).toMatchObject({
      identities: [{ namespace: 'x', access: [{ namespace: null, why: null }], findings: [{ namespace: null }] }],
    });
  });
});
