import { describe, expect, test } from 'vitest';
import { account, binding, GROUP, of, report, role, rule } from './testing.ts';

const findings = (rules: readonly object[]) =>
  report([role(rules), binding([account])])[0]?.findings.map(({ id }) => id);

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
    ['PodsEntered', rule(['delete'], 'pods/proxy'), rule(['get'], 'pods/status')],
    [
      'Impersonate',
      of('authentication.k8s.io', ['impersonate:user-info'], 'users'),
      // In nobody's name yet.
      of('authentication.k8s.io', ['impersonate-on:user-info:list'], 'users'),
    ],
    [
      'Impersonate',
      of('authentication.k8s.io', ['impersonate:serviceaccount'], 'serviceaccounts'),
      of('authentication.k8s.io', ['get'], 'serviceaccounts'),
    ],
    [
      'Impersonate',
      of('authentication.k8s.io', ['impersonate:arbitrary-node'], 'nodes'),
      of('authentication.k8s.io', ['get'], 'nodes'),
    ],
    ['MemoryRead', rule(['create'], 'nodes/checkpoint'), rule(['get'], 'nodes/healthz')],
    ['LogsRead', rule(['get'], 'pods/log'), rule(['get'], 'pods/status')],
    ['LogsRead', rule(['get'], 'nodes/log'), rule(['get'], 'nodes/metrics')],
    ['PodsExtended', rule(['patch'], 'pods/ephemeralcontainers'), rule(['get'], 'pods/ephemeralcontainers')],
    [
      'AdmissionWritten',
      rule(['delete'], 'validatingadmissionpolicies', { apiGroups: ['admissionregistration.k8s.io'] }),
      rule(['get'], 'validatingadmissionpolicies', { apiGroups: ['admissionregistration.k8s.io'] }),
    ],
    ['WorkloadsWritten', rule(['create'], 'pods'), rule(['list'], 'pods')],
    ['WorkloadsWritten', of('apps', ['patch'], 'deployments'), of('apps', ['patch'], 'deployments/status')],
    ['WorkloadsWritten', of('batch', ['create'], 'cronjobs'), of('batch', ['delete'], 'cronjobs')],
    [
      'CertificatesIssued',
      of('certificates.k8s.io', ['update'], 'certificatesigningrequests/approval'),
      of('certificates.k8s.io', ['create'], 'certificatesigningrequests'),
    ],
    [
      'CertificatesIssued',
      of('certificates.k8s.io', ['approve'], 'signers', { resourceNames: ['kubernetes.io/kube-apiserver-client'] }),
      of('certificates.k8s.io', ['get'], 'signers'),
    ],
    [
      'CertificatesIssued',
      of('certificates.k8s.io', ['create'], 'certificatesigningrequests/nodeclient'),
      of('certificates.k8s.io', ['get'], 'certificatesigningrequests/nodeclient'),
    ],
    [
      'CertificatesIssued',
      of('certificates.k8s.io', ['attest'], 'signers'),
      of('certificates.k8s.io', ['attest'], 'certificatesigningrequests'),
    ],
    ['WorkloadsWritten', of('agents.x-k8s.io', ['create'], 'sandboxes'), of('agents.x-k8s.io', ['list'], 'sandboxes')],
    [
      'WorkloadsWritten',
      of('extensions.agents.x-k8s.io', ['patch'], 'sandboxtemplates'),
      of('extensions.agents.x-k8s.io', ['delete'], 'sandboxtemplates'),
    ],
    [
      'RightsWritten',
      of('authorization.openshift.io', ['create'], 'rolebindings'),
      of('authorization.openshift.io', ['get'], 'rolebindings'),
    ],
    [
      'SecurityContextChosen',
      of('security.openshift.io', ['use'], 'securitycontextconstraints', { resourceNames: ['privileged'] }),
      of('security.openshift.io', ['get'], 'securitycontextconstraints'),
    ],
    ['RuntimeReplaced', of('node.k8s.io', ['delete'], 'runtimeclasses'), of('node.k8s.io', ['get'], 'runtimeclasses')],
    ['VolumesCreated', rule(['create'], 'persistentvolumes'), rule(['create'], 'persistentvolumeclaims')],
    ['NodesChanged', rule(['patch'], 'nodes'), rule(['list'], 'nodes')],
    ['NamespacesChanged', rule(['patch'], 'namespaces'), rule(['get'], 'namespaces')],
    [
      'NetworkOpened',
      of('networking.k8s.io', ['delete'], 'networkpolicies'),
      of('networking.k8s.io', ['create'], 'ingresses'),
    ],
    ['NetworkOpened', of('cilium.io', ['patch'], 'ciliumclusterwidenetworkpolicies'), of('cilium.io', ['patch'], 'x')],
    ['NetworkOpened', of('cilium.io', ['update'], 'ciliumidentities'), of('cilium.io', ['list'], 'ciliumidentities')],
    [
      'NetworkOpened',
      of('cilium.io', ['patch'], 'ciliumcidrgroups'),
      of('networking.k8s.io', ['list'], 'networkpolicies'),
    ],
    [
      'NetworkOpened',
      of('cilium.io', ['create'], 'ciliumlocalredirectpolicies'),
      of('cilium.io', ['get'], 'ciliumnodes'),
    ],
    [
      'NetworkOpened',
      of('crd.projectcalico.org', ['patch'], 'globalnetworksets'),
      of('crd.projectcalico.org', ['get'], 'globalnetworksets'),
    ],
    [
      'ApisTakenOver',
      of('apiregistration.k8s.io', ['create'], 'apiservices'),
      of('apiregistration.k8s.io', ['list'], 'apiservices'),
    ],
    [
      'ApisTakenOver',
      of('apiextensions.k8s.io', ['delete'], 'customresourcedefinitions'),
      of('apiextensions.k8s.io', ['get'], 'customresourcedefinitions'),
    ],
    ['TrafficRedirected', rule(['patch'], 'services/status'), rule(['get'], 'services/status')],
    ['TrafficRedirected', rule(['create'], 'services'), rule(['delete'], 'services')],
    [
      'TrafficRedirected',
      of('discovery.k8s.io', ['create'], 'endpointslices'),
      of('discovery.k8s.io', ['watch'], 'endpointslices'),
    ],
    [
      'TrafficRedirected',
      of('discovery.k8s.io', ['update'], 'endpointslices'),
      of('discovery.k8s.io', ['list'], 'endpointslices'),
    ],
    ['PodsRemoved', rule(['delete'], 'pods'), rule(['get'], 'pods')],
    ['PodsEvicted', rule(['create'], 'pods/eviction'), rule(['get'], 'pods/eviction')],
    ['PodsPlaced', rule(['create'], 'pods/binding'), rule(['get'], 'pods/binding')],
    ['PodsPlaced', rule(['create'], 'bindings'), rule(['list'], 'bindings')],
    ['AnySecretRead', rule(['delete'], 'secrets'), rule(['delete'], 'secrets', { resourceNames: ['a'] })],
    ['NamespacesChanged', rule(['patch'], 'namespaces/status'), rule(['get'], 'namespaces/status')],
    ['NamespacesChanged', rule(['update'], 'namespaces/finalize'), rule(['list'], 'namespaces')],
    ['VolumesCreated', rule(['patch'], 'persistentvolumes'), rule(['patch'], 'persistentvolumes/status')],
    [
      'AdmissionWritten',
      of('kyverno.io', ['create'], 'policyexceptions'),
      of('kyverno.io', ['get'], 'policyexceptions'),
    ],
    ['ControllersDriven', of('argoproj.io', ['create'], 'workflows'), of('argoproj.io', ['list'], 'workflows')],
    [
      'ControllersDriven',
      of('kustomize.toolkit.fluxcd.io', ['patch'], 'kustomizations'),
      of('source.toolkit.fluxcd.io', ['patch'], 'gitrepositories'),
    ],
    [
      'SecretsFetched',
      of('external-secrets.io', ['create'], 'externalsecrets'),
      of('external-secrets.io', ['get'], 'secretstores'),
    ],
    [
      'NetworkOpened',
      of('networking.k8s.aws', ['patch'], 'policyendpoints'),
      of('networking.k8s.aws', ['get'], 'policyendpoints'),
    ],
    [
      'NetworkOpened',
      of('security.istio.io', ['delete'], 'authorizationpolicies'),
      of('networking.istio.io', ['create'], 'gateways'),
    ],
    [
      'EgressDecided',
      of('agentplane.dev', ['create'], 'secretbindings'),
      of('agentplane.dev', ['delete'], 'secretbindings'),
    ],
    ['EgressDecided', of('agentplane.dev', ['patch'], 'policybundles'), of('agentplane.dev', ['get'], 'policybundles')],
    [
      'EgressDecided',
      of('agentplane.dev', ['create'], 'egresspolicies'),
      of('agentplane.dev', ['list'], 'egresspolicies'),
    ],
    ['EgressDecided', of('agentplane.dev', ['update'], 'runtimeprofiles'), of('', ['update'], 'runtimeprofiles')],
    [
      'RecordsForged',
      of('agentplane.dev', ['patch'], 'egresspolicies/status'),
      of('agentplane.dev', ['get'], 'egresspolicies/status'),
    ],
    [
      'RecordsForged',
      of('agentplane.dev', ['patch'], 'capabilityreports/status'),
      of('agentplane.dev', ['get'], 'capabilityreports'),
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

  test.each([
    'system:authenticated',
    'system:unauthenticated',
    'system:serviceaccounts:a',
    'system:masters',
    'system:nodes',
    'system:bootstrappers',
    'system:bootstrappers:kubeadm:default-node-token',
  ])('%s', (name) => {
    const to = (group: string) => report([role([rule(['get'], 'pods')]), binding([{ kind: 'Group', name: group }])])[0];
    expect(to(name)?.findings.map(({ id }) => id)).toEqual(['BroadSubject']);
    expect(to(`not-${name}`)?.findings).toEqual([]);
  });
});

test('User system:anonymous is everybody', () => {
  const to = (name: string) => report([role([rule(['get'], 'pods')]), binding([{ kind: 'User', name }])])[0];
  expect(to('system:anonymous')?.findings).toMatchObject([{ id: 'BroadSubject', severity: 'High' }]);
  expect(to('anonymous')?.findings).toEqual([]);
});

describe('what is dangerous in one place', () => {
  const inSystem = (verbs: readonly string[]) => {
    const metadata = { name: 'r', namespace: 'kube-system' };
    const bound = binding([account]);
    return report([
      role([rule(verbs, 'configmaps')], 'Role', metadata),
      { ...bound, metadata: { ...metadata, name: 'b' } },
    ]);
  };
  const everywhere = (given: object) =>
    report([role([given], 'ClusterRole'), binding([account], 'ClusterRole', 'ClusterRoleBinding')]);
  const ids = (of: ReturnType<typeof report>) => of[0]?.findings.map(({ id }) => id);

  test('settings of the cluster, in kube-system and with it everywhere', () => {
    expect(ids(inSystem(['patch']))).toEqual(['ClusterSettingsWritten']);
    expect(ids(inSystem(['get']))).toEqual([]);
    expect(findings([rule(['patch'], 'configmaps')])).toEqual([]);
    expect(ids(everywhere(rule(['patch'], 'configmaps')))).toEqual(['ClusterWide', 'ClusterSettingsWritten']);
  });

  test('what belongs to no namespace, where a binding of the cluster grants it', () => {
    expect(ids(everywhere(rule(['list'], 'nodes')))).toEqual(['ClusterWide', 'ClusterRead']);
    expect(ids(everywhere(rule(['list'], 'pods')))).toEqual(['ClusterWide']);
    // A Role cannot grant it, whatever it says.
    expect(findings([rule(['list'], 'nodes')])).toEqual([]);
  });
});

test('what makes pods is worse in every namespace, and in that of the cluster: the pods there may do more', () => {
  const severities = (metadata: object, given: object) => {
    const bound = binding([account]);
    const [found] = report([role([given], 'Role', metadata), { ...bound, metadata: { ...metadata, name: 'b' } }]);
    return found?.findings.map(({ id, severity }) => `${severity} ${id}`);
  };
  const pods = rule(['create'], 'pods');
  expect(severities({ name: 'r', namespace: 'kube-system' }, pods)).toEqual(['High WorkloadsWritten']);
  expect(severities({ name: 'r', namespace: 'team' }, pods)).toEqual(['Medium WorkloadsWritten']);
  const [everywhere] = report([role([pods], 'ClusterRole'), binding([account], 'ClusterRole', 'ClusterRoleBinding')]);
  expect(everywhere?.findings.map(({ id, severity }) => `${severity} ${id}`)).toEqual([
    'Medium ClusterWide',
    'High WorkloadsWritten',
  ]);
});

test('what an aggregated role grants is unknown, also where the file gives it harmless rules: the cluster writes others', () => {
  const collected = (rules: readonly object[]) => ({ ...role(rules, 'ClusterRole'), aggregationRule: {} });
  for (const rules of [[], [rule(['get'], 'pods')]]) {
    const [found] = report([collected(rules), binding([account], 'ClusterRole')]);
    expect(found?.findings.map(({ id }) => id)).toEqual(['RightsUnknown']);
  }
});
