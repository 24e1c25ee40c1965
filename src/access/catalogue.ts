/**
 * Rights by which an identity grows into more than it was given, as data: a rule of a Role that reaches one of them is a finding.
 * Sources: kubernetes/website content/en/docs/concepts/security/rbac-good-practices.md ("Privilege escalation risks"); what the rules of
 * rbac-police and rbac-tool look for.
 */
import { CUSTOM_RIGHTS } from './catalogue-custom.ts';
import { GUARDS, NETWORK, WORKLOADS } from './catalogue-kinds.ts';
import type { DangerousRight } from './dangerous-right.ts';

const RBAC = ['rbac.authorization.k8s.io'];
const WRITES = ['create', 'update', 'patch'];
const REMOVALS = ['delete', 'deletecollection'];

export const DANGEROUS_RIGHTS: readonly DangerousRight[] = [
  {
    id: 'SecretsListed',
    severity: 'High',
    apiGroups: [''],
    resources: ['secrets'],
    // The names in a rule do not help: RBAC judges a list by its field selector, and the answer holds the values.
    verbs: ['list', 'watch', 'deletecollection'],
    why: 'the answer to a list or watch holds the value of every Secret',
  },
  {
    id: 'AnySecretRead',
    severity: 'High',
    apiGroups: [''],
    resources: ['secrets'],
    // A dry run of a deletion that waits for dependents answers with the whole object.
    verbs: ['get', 'delete'],
    fineWhenNamed: true,
    why: 'any Secret whose name is known or guessed can be read, to delete it as well: list the names',
  },
  {
    id: 'SecretsWritten',
    severity: 'High',
    apiGroups: [''],
    resources: ['secrets'],
    verbs: WRITES,
    why: 'a Secret of the type service-account-token is filled with the token of any ServiceAccount of the namespace',
  },
  {
    id: 'TokensMade',
    severity: 'High',
    apiGroups: [''],
    resources: ['serviceaccounts/token'],
    verbs: ['create'],
    why: 'whoever can make a token of another ServiceAccount has its rights',
  },
  {
    id: 'Escalate',
    severity: 'High',
    apiGroups: RBAC,
    resources: ['roles', 'clusterroles'],
    verbs: ['escalate'],
    why: 'roles can be given rights that their author does not hold',
  },
  {
    id: 'Bind',
    severity: 'High',
    apiGroups: RBAC,
    resources: ['roles', 'clusterroles'],
    verbs: ['bind'],
    why: 'roles can be bound whose rights the author of the binding does not hold',
  },
  {
    id: 'RightsWritten',
    severity: 'High',
    apiGroups: RBAC,
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    verbs: WRITES,
    why: 'rights that are held can be handed on, and together with bind or escalate any right',
  },
  {
    id: 'Impersonate',
    severity: 'High',
    apiGroups: ['', 'authentication.k8s.io'],
    resources: ['users', 'groups', 'serviceaccounts', 'userextras', 'uids', 'nodes'],
    // The verbs with a colon limit what may be done in that name, not to whom: kubernetes/enhancements, KEP-5284.
    verbs: [
      'impersonate',
      'impersonate:user-info',
      'impersonate:serviceaccount',
      'impersonate:arbitrary-node',
      'impersonate:associated-node',
    ],
    why: 'whoever acts in the name of another has its rights',
  },
  {
    id: 'PodsEntered',
    severity: 'High',
    apiGroups: [''],
    resources: ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'services/proxy', 'nodes/proxy'],
    // A WebSocket is opened by GET, so reading suffices; a proxy passes every method on.
    verbs: ['get', ...WRITES, 'delete'],
    why: 'whoever enters a pod has its Secrets, its token and its network',
  },
  {
    id: 'PodsExtended',
    severity: 'High',
    apiGroups: [''],
    resources: ['pods/ephemeralcontainers'],
    verbs: ['update', 'patch'],
    why: 'a container that is added to a pod has its Secrets, its token and its network',
  },
  {
    id: 'MemoryRead',
    severity: 'High',
    apiGroups: [''],
    // With nodes/log below split off from nodes/proxy: kubernetes/enhancements, KEP-2862.
    resources: ['nodes/checkpoint'],
    verbs: ['create'],
    why: 'a checkpoint of a container holds its memory, and every Secret in it',
  },
  {
    id: 'LogsRead',
    severity: 'Medium',
    apiGroups: [''],
    resources: ['pods/log', 'nodes/log'],
    verbs: ['get'],
    why: 'what programs print tells what they were given: tokens, and what users have typed',
  },
  {
    id: 'AdmissionWritten',
    severity: 'High',
    apiGroups: GUARDS.apiGroups,
    resources: GUARDS.resources,
    verbs: [...WRITES, ...REMOVALS],
    why: 'a webhook reads and changes what everybody writes; without a policy nothing is refused',
  },
  {
    id: 'CertificatesIssued',
    severity: 'High',
    apiGroups: ['certificates.k8s.io', 'cert-manager.io'],
    resources: [
      'certificatesigningrequests/approval',
      'certificatesigningrequests/status',
      // What these are created for is approved by the cluster itself: the certificate of any node.
      'certificatesigningrequests/nodeclient',
      'certificatesigningrequests/selfnodeclient',
      'signers',
    ],
    verbs: ['create', 'update', 'patch', 'approve', 'sign', 'attest'],
    why: 'whoever lets a certificate be issued, or trusted, chooses the name in it, and has the rights of that name',
  },
  {
    id: 'VolumesCreated',
    severity: 'High',
    apiGroups: [''],
    resources: ['persistentvolumes'],
    verbs: WRITES,
    why: 'a volume of the type hostPath opens the files of a node, and one that is there can be handed to another claim',
  },
  {
    id: 'WorkloadsWritten',
    severity: 'Medium',
    apiGroups: WORKLOADS.apiGroups,
    resources: WORKLOADS.resources,
    verbs: WRITES,
    worseInSystem: true,
    why: 'a pod may take any ServiceAccount of its namespace, with its rights and its egress, and mount every Secret',
  },
  {
    id: 'NamespacesChanged',
    severity: 'Medium',
    apiGroups: [''],
    // Its status is written with its labels.
    resources: ['namespaces', 'namespaces/status', 'namespaces/finalize'],
    verbs: ['update', 'patch', ...REMOVALS],
    why: 'the labels of a namespace decide which pod security and which network policies hold for it',
  },
  {
    id: 'NodesChanged',
    severity: 'Medium',
    apiGroups: [''],
    resources: ['nodes', 'nodes/status'],
    verbs: ['update', 'patch', ...REMOVALS],
    why: 'labels and taints decide which pods run on a node, and which nodes a network policy means',
  },
  {
    id: 'NetworkOpened',
    severity: 'Medium',
    apiGroups: NETWORK.apiGroups,
    resources: NETWORK.resources,
    verbs: [...WRITES, ...REMOVALS],
    why: 'network policies add up: one more, one less, or another meaning of one opens what the others keep shut',
  },
  {
    id: 'ApisTakenOver',
    severity: 'High',
    apiGroups: ['apiregistration.k8s.io', 'apiextensions.k8s.io'],
    resources: ['apiservices', 'customresourcedefinitions'],
    verbs: [...WRITES, ...REMOVALS],
    why: 'a server of their own, or a conversion webhook, reads and answers what everybody asks; a CRD that goes takes its objects along',
  },
  {
    id: 'TrafficRedirected',
    severity: 'Medium',
    apiGroups: ['', 'discovery.k8s.io'],
    resources: ['services', 'services/status', 'endpoints', 'endpointslices', 'pods/status'],
    // A new one suffices: a Service takes the traffic to its external addresses, and a slice joins the Service that its label names.
    verbs: WRITES,
    why: 'what a Service leads to can be made another pod, or an address outside: CVE-2020-8554, CVE-2021-25740',
  },
  {
    id: 'PodsPlaced',
    severity: 'Medium',
    apiGroups: [''],
    resources: ['pods/binding', 'bindings'],
    verbs: ['create'],
    why: 'whoever places a pod chooses its node, and adds labels to it, by which policies and profiles know it',
  },
  {
    id: 'PodsRemoved',
    severity: 'Medium',
    apiGroups: [''],
    resources: ['pods'],
    verbs: REMOVALS,
    why: 'pods can be driven onto a node of choice, or out of the cluster',
  },
  {
    id: 'PodsEvicted',
    severity: 'Medium',
    apiGroups: [''],
    resources: ['pods/eviction'],
    verbs: ['create'],
    why: 'pods can be driven onto a node of choice, or out of the cluster',
  },
  {
    id: 'ClusterSettingsWritten',
    severity: 'Medium',
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: [...WRITES, ...REMOVALS],
    where: 'kube-system',
    why: 'settings of the cluster are kept there: the resolver, the network, and on some clouds who its administrators are',
  },
  {
    id: 'ClusterRead',
    severity: 'Info',
    apiGroups: [
      '',
      'rbac.authorization.k8s.io',
      'apiextensions.k8s.io',
      'admissionregistration.k8s.io',
      'storage.k8s.io',
      'node.k8s.io',
    ],
    resources: [
      'nodes',
      'namespaces',
      'persistentvolumes',
      'clusterroles',
      'clusterrolebindings',
      'customresourcedefinitions',
      'validatingadmissionpolicies',
      'validatingwebhookconfigurations',
      'mutatingwebhookconfigurations',
      'storageclasses',
      'runtimeclasses',
    ],
    verbs: ['get', 'list', 'watch'],
    where: 'cluster',
    why: 'what belongs to no namespace tells about everybody: how the cluster is built, and who is there',
  },
  ...CUSTOM_RIGHTS,
];
