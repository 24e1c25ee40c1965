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
    'networking.k8s.aws',
    'networking.gke.io',
    'k8s.ovn.org',
    'k8s.cni.cncf.io',
    'security.istio.io',
    'networking.istio.io',
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
    'ciliumnodes',
    'policyendpoints',
    'applicationnetworkpolicies',
    'fqdnnetworkpolicies',
    'egressfirewalls',
    'egressips',
    'adminpolicybasedexternalroutes',
    'network-attachment-definitions',
    'authorizationpolicies',
    'peerauthentications',
    'envoyfilters',
    'serviceentries',
    'virtualservices',
    'destinationrules',
    'sidecars',
  ],
};

/** What refuses, or changes, what others write. */
export const GUARDS: Kinds = {
  apiGroups: [
    'admissionregistration.k8s.io',
    'kyverno.io',
    'policies.kyverno.io',
    'templates.gatekeeper.sh',
    'config.gatekeeper.sh',
  ],
  resources: [
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'policies',
    'clusterpolicies',
    'policyexceptions',
    'constrainttemplates',
    'configs',
  ],
};

/** What well-known controllers make pods of, or read objects from that they apply. */
export const DRIVEN: Kinds = {
  apiGroups: [
    'argoproj.io',
    'tekton.dev',
    'serving.knative.dev',
    'kubevirt.io',
    'helm.toolkit.fluxcd.io',
    'kustomize.toolkit.fluxcd.io',
    'operators.coreos.com',
    'jobset.x-k8s.io',
    'ray.io',
    'batch.volcano.sh',
    'monitoring.coreos.com',
  ],
  resources: [
    'applications',
    'applicationsets',
    'workflows',
    'workflowtemplates',
    'cronworkflows',
    'rollouts',
    'tasks',
    'taskruns',
    'pipelines',
    'pipelineruns',
    'services',
    'configurations',
    'virtualmachines',
    'virtualmachineinstances',
    'helmreleases',
    'kustomizations',
    'subscriptions',
    'catalogsources',
    'clusterserviceversions',
    'jobsets',
    'rayclusters',
    'rayjobs',
    'rayservices',
    'jobs',
    'prometheuses',
    'prometheusagents',
    'alertmanagers',
    'thanosrulers',
  ],
};

/** What brings Secrets from elsewhere, or takes them there. */
export const FETCHED: Kinds = {
  apiGroups: ['external-secrets.io', 'secrets-store.csi.x-k8s.io', 'bitnami.com'],
  resources: [
    'externalsecrets',
    'clusterexternalsecrets',
    'secretstores',
    'clustersecretstores',
    'pushsecrets',
    'clusterpushsecrets',
    'secretproviderclasses',
    'sealedsecrets',
  ],
};
