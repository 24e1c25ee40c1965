/** The longer lists of kinds in the catalogue, by what they have in common. */

interface Kinds {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
}

/** What pods come of. */
export const WORKLOADS: Kinds = {
  apiGroups: ['', 'apps', 'batch', 'agents.x-k8s.io', 'extensions.agents.x-k8s.io'],
  resources: [
    'pods',
    'replicationcontrollers',
    'deployments',
    'daemonsets',
    'statefulsets',
    'replicasets',
    'jobs',
    'cronjobs',
    'sandboxes',
    'sandboxtemplates',
    'sandboxclaims',
    'sandboxwarmpools',
  ],
};

/** What decides which traffic passes. */
export const NETWORK: Kinds = {
  apiGroups: [
    'networking.k8s.io',
    'policy.networking.k8s.io',
    'cilium.io',
    'crd.antrea.io',
    'crd.projectcalico.org',
    'projectcalico.org',
  ],
  resources: [
    'networkpolicies',
    'adminnetworkpolicies',
    'baselineadminnetworkpolicies',
    'clusternetworkpolicies',
    'ciliumnetworkpolicies',
    'ciliumclusterwidenetworkpolicies',
    'globalnetworkpolicies',
    // What policies refer to: who a pod is to them, and which addresses a name of theirs stands for.
    'ciliumidentities',
    'ciliumendpoints',
    'ciliumendpointslices',
    'ciliumcidrgroups',
    'networksets',
    'globalnetworksets',
    'groups',
    'clustergroups',
    'tiers',
    // What leads around them.
    'ciliumlocalredirectpolicies',
    'ciliumenvoyconfigs',
    'ciliumclusterwideenvoyconfigs',
    'ciliumegressgatewaypolicies',
    'ciliumnodeconfigs',
  ],
};
