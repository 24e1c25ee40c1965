import type { Identity } from './rules.ts';

/** What an identity deliberately lacks, in a form that a test can put to an API server (`can-i` must answer no). */
export interface Lack {
  readonly identity: Identity;
  /** `install`: where it is not governed as well. */
  readonly namespace: 'governed' | 'install' | 'kube-system' | 'probe' | 'cluster';
  readonly apiGroup: string;
  /** Plural, with the subresource if there is one. */
  readonly resource: string;
  readonly verbs: readonly string[];
  readonly why: string;
}

const identities = ['agentplane-operator', 'agentplane-inventory', 'agentplane-probe'] as const;
const every = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** Paths by which an identity of a namespace usually grows into more than it was given. */
const escalations: readonly Omit<Lack, 'identity' | 'namespace'>[] = [
  {
    apiGroup: '',
    resource: 'pods',
    verbs: ['create', 'update', 'patch', 'delete'],
    why: 'AgentPlane runs no workloads there.',
  },
  { apiGroup: '', resource: 'pods/exec', verbs: ['get', 'create'], why: 'No pod is entered.' },
  { apiGroup: '', resource: 'pods/ephemeralcontainers', verbs: ['update', 'patch'], why: 'No pod is entered.' },
  { apiGroup: '', resource: 'pods/log', verbs: ['get'], why: 'What agents print is theirs.' },
  { apiGroup: '', resource: 'serviceaccounts/token', verbs: ['create'], why: 'No identity may become another.' },
  { apiGroup: '', resource: 'serviceaccounts', verbs: ['impersonate'], why: 'No identity may become another.' },
  {
    apiGroup: 'rbac.authorization.k8s.io',
    resource: 'roles',
    verbs: ['create', 'update', 'patch', 'delete', 'escalate', 'bind'],
    why: 'Authority is granted by whoever installs, never by AgentPlane.',
  },
  {
    apiGroup: 'rbac.authorization.k8s.io',
    resource: 'rolebindings',
    verbs: ['create', 'update', 'patch', 'delete'],
    why: 'Authority is granted by whoever installs, never by AgentPlane.',
  },
];

const clusterWide: readonly Omit<Lack, 'identity' | 'namespace'>[] = [
  { apiGroup: '', resource: 'namespaces', verbs: every, why: 'Namespaces are named in the values, not discovered.' },
  { apiGroup: '', resource: 'nodes', verbs: every, why: 'Nothing cluster-scoped is needed.' },
  {
    apiGroup: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    verbs: every,
    why: 'CRDs belong to the platform admin.',
  },
  {
    apiGroup: 'admissionregistration.k8s.io',
    resource: 'validatingadmissionpolicies',
    verbs: every,
    why: 'The fence around an identity is not its own to move.',
  },
  {
    apiGroup: 'cilium.io',
    resource: 'ciliumclusterwidenetworkpolicies',
    verbs: every,
    why: 'A policy reaches no further than its namespace.',
  },
];

/** Specs say what is asked. Only their authors write them. */
const specs: readonly Omit<Lack, 'identity' | 'namespace'>[] = [
  'egresspolicies',
  'secretbindings',
  'policybundles',
].map((resource) => ({
  apiGroup: 'agentplane.dev',
  resource,
  verbs: ['create', 'update', 'patch', 'delete'],
  why: 'What is asked is written by people, what is observed by AgentPlane.',
}));

const secrets: Omit<Lack, 'identity' | 'namespace'> = {
  apiGroup: '',
  resource: 'secrets',
  verbs: every,
  why: 'No Secret is read, by name or otherwise.',
};

function everywhere(
  namespaces: readonly Lack['namespace'][],
  lacks: readonly Omit<Lack, 'identity' | 'namespace'>[],
): readonly Lack[] {
  return identities.flatMap((identity) =>
    namespaces.flatMap((namespace) => lacks.map((lack) => ({ identity, namespace, ...lack }))),
  );
}

/** In the namespace of its canaries it may create pods: whatever would make more of that has to be out of reach. */
const ofProbe: readonly Omit<Lack, 'identity' | 'namespace'>[] = [
  ...escalations.filter(({ resource }) => resource !== 'pods'),
  { apiGroup: '', resource: 'secrets', verbs: every, why: 'No Secret is read, by name or otherwise.' },
  {
    apiGroup: '',
    resource: 'pods',
    verbs: ['get', 'watch', 'update', 'patch', 'deletecollection'],
    why: 'A canary is created, listed and deleted by its UID.',
  },
  {
    apiGroup: '',
    resource: 'serviceaccounts',
    verbs: ['create', 'update', 'patch', 'delete'],
    why: 'The accounts of the canaries are those of the chart, and hold no right.',
  },
  {
    apiGroup: 'networking.k8s.io',
    resource: 'networkpolicies',
    verbs: ['get', 'list', 'watch', 'update', 'patch', 'deletecollection'],
    why: 'It writes its own, and deletes them by their UID.',
  },
];

export const lacks: readonly Lack[] = [
  ...everywhere(['governed', 'install', 'kube-system'], escalations),
  ...everywhere(['install', 'kube-system'], [secrets]),
  { identity: 'agentplane-inventory', namespace: 'governed', ...secrets },
  {
    identity: 'agentplane-operator',
    namespace: 'governed',
    apiGroup: '',
    resource: 'secrets',
    verbs: every.filter((verb) => verb !== 'get'),
    why: 'Secrets are got by the names that the values list, and never listed, watched or changed.',
  },
  ...everywhere(['governed'], specs),
  ...(['agentplane-inventory', 'agentplane-probe'] as const).map(
    (identity): Lack => ({
      identity,
      namespace: 'governed',
      apiGroup: 'agentplane.dev',
      resource: 'runtimeprofiles',
      verbs: ['create', 'update', 'patch', 'delete'],
      why: 'What is asked is written by people, what is observed by AgentPlane.',
    }),
  ),
  {
    identity: 'agentplane-operator',
    namespace: 'governed',
    apiGroup: 'agentplane.dev',
    resource: 'runtimeprofiles',
    verbs: ['create', 'update', 'delete'],
    why: 'What is asked is written by people. With `admission.enabled` it patches finalizers, and a policy of agentplane-cluster refuses any other patch.',
  },
  {
    identity: 'agentplane-operator',
    namespace: 'governed',
    apiGroup: '',
    resource: 'configmaps',
    verbs: ['list', 'watch', 'update', 'patch', 'deletecollection'],
    why: 'ConfigMaps are read by name, and never changed: what is generated is immutable.',
  },
  {
    identity: 'agentplane-operator',
    namespace: 'install',
    apiGroup: '',
    resource: 'configmaps',
    verbs: every,
    why: 'Nothing of a PolicyBundle is outside of its namespace.',
  },
  ...everywhere(['cluster'], clusterWide),
  ...ofProbe.map((lack): Lack => ({ identity: 'agentplane-probe', namespace: 'probe', ...lack })),
  { identity: 'agentplane-probe', namespace: 'governed', ...secrets },
  ...(['governed', 'install'] as const).map(
    (namespace): Lack => ({
      identity: 'agentplane-probe',
      namespace,
      apiGroup: 'networking.k8s.io',
      resource: 'networkpolicies',
      verbs: every,
      why: 'It tries policies among its canaries only.',
    }),
  ),
  {
    identity: 'agentplane-probe',
    namespace: 'install',
    apiGroup: 'agentplane.dev',
    resource: 'capabilityreports',
    verbs: ['list', 'watch', 'create', 'update', 'patch', 'delete'],
    why: 'One report by its name, and of it the status only.',
  },
  {
    identity: 'agentplane-operator',
    namespace: 'governed',
    apiGroup: 'networking.k8s.io',
    resource: 'networkpolicies',
    verbs: ['update', 'deletecollection'],
    why: 'Changes are narrow patches, deletions name one object and its UID.',
  },
  {
    identity: 'agentplane-operator',
    namespace: 'install',
    apiGroup: 'networking.k8s.io',
    resource: 'networkpolicies',
    verbs: every,
    why: 'The policies around itself are not its own to change.',
  },
  {
    identity: 'agentplane-operator',
    namespace: 'install',
    apiGroup: 'agentplane.dev',
    resource: 'capabilityreports',
    verbs: ['create', 'update', 'patch', 'delete'],
    why: 'Whoever acts on the report may not write it.',
  },
  {
    identity: 'agentplane-inventory',
    namespace: 'governed',
    apiGroup: 'networking.k8s.io',
    resource: 'networkpolicies',
    verbs: every,
    why: 'Discovery changes nothing, and looks into no governed namespace.',
  },
  {
    identity: 'agentplane-inventory',
    namespace: 'kube-system',
    apiGroup: '',
    resource: 'configmaps',
    verbs: ['list', 'watch', 'create', 'update', 'patch', 'delete'],
    why: 'Named objects only, and never a change.',
  },
  {
    identity: 'agentplane-inventory',
    namespace: 'kube-system',
    apiGroup: 'apps',
    resource: 'daemonsets',
    verbs: ['list', 'watch', 'create', 'update', 'patch', 'delete'],
    why: 'Named objects only, and never a change.',
  },
];
