/**
 * Rights by which an identity grows into more than it was given, as data: a rule of a Role that reaches one of them is a finding.
 * Sources: kubernetes/website content/en/docs/concepts/security/rbac-good-practices.md ("Privilege escalation risks").
 */

export interface DangerousRight {
  /** Stable, machine-readable. */
  readonly id: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Whether the right is harmless when it is limited to listed names. */
  readonly fineWhenNamed?: true;
  readonly why: string;
}

const RBAC = ['rbac.authorization.k8s.io'];

export const DANGEROUS_RIGHTS: readonly DangerousRight[] = [
  {
    id: 'SecretsListed',
    apiGroups: [''],
    resources: ['secrets'],
    // The names in a rule do not help: RBAC judges a list by its field selector, and the answer holds the values.
    verbs: ['list', 'watch', 'deletecollection'],
    why: 'the answer to a list or watch holds the value of every Secret',
  },
  {
    id: 'AnySecretRead',
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get'],
    fineWhenNamed: true,
    why: 'any Secret whose name is known or guessed can be read: list the names',
  },
  {
    id: 'SecretsWritten',
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['create', 'update', 'patch'],
    why: 'a Secret of the type service-account-token is filled with the token of any ServiceAccount of the namespace',
  },
  {
    id: 'TokensMade',
    apiGroups: [''],
    resources: ['serviceaccounts/token'],
    verbs: ['create'],
    why: 'whoever can make a token of another ServiceAccount has its rights',
  },
  {
    id: 'Escalate',
    apiGroups: RBAC,
    resources: ['roles', 'clusterroles'],
    verbs: ['escalate'],
    why: 'roles can be given rights that their author does not hold',
  },
  {
    id: 'Bind',
    apiGroups: RBAC,
    resources: ['roles', 'clusterroles'],
    verbs: ['bind'],
    why: 'roles can be bound whose rights the author of the binding does not hold',
  },
  {
    id: 'RightsWritten',
    apiGroups: RBAC,
    resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
    verbs: ['create', 'update', 'patch'],
    why: 'rights that are held can be handed on, and together with bind or escalate any right',
  },
  {
    id: 'Impersonate',
    apiGroups: ['', 'authentication.k8s.io'],
    resources: ['users', 'groups', 'serviceaccounts', 'userextras', 'uids'],
    verbs: ['impersonate'],
    why: 'whoever acts in the name of another has its rights',
  },
  {
    id: 'PodsEntered',
    apiGroups: [''],
    resources: ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/proxy', 'services/proxy', 'nodes/proxy'],
    // A WebSocket is opened by GET, so reading suffices.
    verbs: ['get', 'create'],
    why: 'whoever enters a pod has its Secrets, its token and its network',
  },
  {
    id: 'PodsExtended',
    apiGroups: [''],
    resources: ['pods/ephemeralcontainers'],
    verbs: ['update', 'patch'],
    why: 'a container that is added to a pod has its Secrets, its token and its network',
  },
  {
    id: 'AdmissionWritten',
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [
      'mutatingwebhookconfigurations',
      'validatingwebhookconfigurations',
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ],
    verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
    why: 'a webhook reads and changes what everybody writes; without a policy nothing is refused',
  },
];

/** Subjects that stand for more than somebody. */
export const BROAD_GROUPS: readonly { readonly pattern: RegExp; readonly who: string }[] = [
  { pattern: /^system:authenticated$/, who: 'everybody who has any credential, each ServiceAccount among them' },
  { pattern: /^system:unauthenticated$/, who: 'everybody who can reach the API server' },
  { pattern: /^system:serviceaccounts(:|$)/, who: 'each of many ServiceAccounts, also those that come later' },
  { pattern: /^system:masters$/, who: 'a group to which every right belongs that cannot be taken away' },
];
