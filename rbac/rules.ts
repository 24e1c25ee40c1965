/**
 * What each identity may do: the single input to the Roles of the charts, to rbac/*.yaml, to rbac/ACCESS.md and to the tests
 * that compare them with what an API server answers. A verb is granted in the release that first uses it.
 */

import { OBSERVED_CONFIG_MAPS, OBSERVED_DAEMON_SETS } from '../src/compile/providers.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export type Identity = 'agentplane-operator' | 'agentplane-inventory' | 'agentplane-probe';

export interface Rule {
  /** Empty for the core group. */
  readonly apiGroup: string;
  /** Plural, with the subresource if there is one: `egresspolicies/status`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** Names that the verbs are limited to. RBAC cannot limit `create`, `list` or `watch` by name. */
  readonly resourceNames?: readonly string[];
  /** The value that lists those names. While it is empty the rule is not rendered: without names it would be about every object. */
  readonly resourceNamesFrom?: 'governedNamespaces[].secrets';
  /** The value that has to be true for the rule to be rendered. */
  readonly when?: 'cilium.enabled' | 'admission.enabled';
  /** What the identity does with it. */
  readonly why: string;
}

export interface Grant {
  readonly identity: Identity;
  /** Name of the Role and of its RoleBinding. */
  readonly role: string;
  readonly chart: 'agentplane' | 'agentplane-cluster';
  readonly namespace: 'governed' | 'install' | 'kube-system' | 'probe';
  readonly rules: readonly Rule[];
}

const agentplane = 'agentplane.dev';

export const operatorGoverned: Grant = {
  identity: 'agentplane-operator',
  role: 'agentplane-operator',
  chart: 'agentplane',
  namespace: 'governed',
  rules: [
    {
      apiGroup: agentplane,
      resource: 'runtimeprofiles',
      verbs: ['list', 'watch'],
      why: 'A policy applies to the pods of a profile.',
    },
    {
      apiGroup: agentplane,
      resource: 'runtimeprofiles/status',
      verbs: ['patch'],
      why: 'Says what is in force for the profile. The spec stays out of reach.',
    },
    {
      apiGroup: agentplane,
      resource: 'runtimeprofiles',
      verbs: ['patch'],
      when: 'admission.enabled',
      why: 'Puts its finalizer on a profile, and takes it off once no workload of it is left. RBAC cannot tell a finalizer from a spec: the admission policies of agentplane-cluster let nothing else through.',
    },
    {
      apiGroup: '',
      resource: 'persistentvolumeclaims',
      verbs: ['list', 'watch'],
      when: 'admission.enabled',
      why: 'A profile stays until the volumes of its workloads are gone. Name and labels are kept, nothing else.',
    },
    {
      apiGroup: agentplane,
      resource: 'egresspolicies',
      verbs: ['list', 'watch'],
      why: 'The policies to compile.',
    },
    {
      apiGroup: agentplane,
      resource: 'egresspolicies/status',
      verbs: ['patch'],
      why: 'Says what is in force, and what stands in the way. The spec stays out of reach.',
    },
    {
      apiGroup: agentplane,
      resource: 'secretbindings',
      verbs: ['list', 'watch'],
      why: 'Which keys of which Secret the pods of a profile may read.',
    },
    {
      apiGroup: agentplane,
      resource: 'secretbindings/status',
      verbs: ['patch'],
      why: 'Says whether the Secret and its keys are there. The spec stays out of reach.',
    },
    {
      apiGroup: '',
      resource: 'secrets',
      verbs: ['get'],
      resourceNamesFrom: 'governedNamespaces[].secrets',
      why: 'Whether a bound Secret is there, with its keys. Asked for as metadata, never with its values; RBAC cannot tell the two apart, so only what is listed can be asked for.',
    },
    {
      apiGroup: agentplane,
      resource: 'policybundles',
      verbs: ['list', 'watch'],
      why: 'The tool policies to compile.',
    },
    {
      apiGroup: agentplane,
      resource: 'policybundles/status',
      verbs: ['patch'],
      why: 'Says which compiled tool policy is in force, and what stands in the way. The spec stays out of reach.',
    },
    {
      apiGroup: '',
      resource: 'configmaps',
      verbs: ['get', 'create', 'delete'],
      why: 'Reads the rules that a PolicyBundle refers to; writes what they compile to, which is immutable, and deletes it by its UID once no pod mounts it. By name: none is listed or watched, none is changed. RBAC cannot limit create by name, nor the others to names that content gives.',
    },
    {
      apiGroup: 'networking.k8s.io',
      resource: 'networkpolicies',
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      why: 'Writes compiled policies; reads all of them, because policies add up and another one can widen ours.',
    },
    {
      apiGroup: 'cilium.io',
      resource: 'ciliumnetworkpolicies',
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      when: 'cilium.enabled',
      why: 'The same for rules that need Cilium, such as domains.',
    },
    {
      apiGroup: '',
      resource: 'pods',
      verbs: ['list', 'watch'],
      why: 'Counts the pods that a policy selects, and tells which generated ConfigMaps pods mount. Name, account, labels, phase and those names are kept, nothing else.',
    },
    {
      apiGroup: 'events.k8s.io',
      resource: 'events',
      verbs: ['create'],
      why: 'Tells of refusals and restored drift, beside the policy concerned.',
    },
  ],
};

export const operatorInstall: Grant = {
  identity: 'agentplane-operator',
  // Not the name of the Role in governed namespaces: the install namespace may be governed as well.
  role: 'agentplane-operator-install',
  chart: 'agentplane',
  namespace: 'install',
  rules: [
    {
      apiGroup: agentplane,
      resource: 'capabilityreports',
      verbs: ['list', 'watch'],
      why: 'What this cluster can enforce decides what can be compiled.',
    },
    {
      apiGroup: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['create'],
      why: 'Creates its Lease at the first start. RBAC cannot limit create by name.',
    },
    {
      apiGroup: 'coordination.k8s.io',
      resource: 'leases',
      verbs: ['get', 'patch'],
      resourceNames: ['agentplane-operator'],
      why: 'Elects the one replica that may write.',
    },
  ],
};

export const inventoryInstall: Grant = {
  identity: 'agentplane-inventory',
  role: 'agentplane-inventory',
  chart: 'agentplane',
  namespace: 'install',
  rules: [
    {
      apiGroup: agentplane,
      resource: 'capabilityreports',
      verbs: ['create'],
      why: 'Creates its report at the first start. RBAC cannot limit create by name.',
    },
    {
      apiGroup: agentplane,
      resource: 'capabilityreports/status',
      verbs: ['patch'],
      resourceNames: ['cluster'],
      why: 'Publishes what it found.',
    },
  ],
};

export const inventorySystem: Grant = {
  identity: 'agentplane-inventory',
  role: 'agentplane-inventory',
  chart: 'agentplane-cluster',
  namespace: 'kube-system',
  rules: [
    {
      apiGroup: 'apps',
      resource: 'daemonsets',
      verbs: ['get'],
      resourceNames: OBSERVED_DAEMON_SETS,
      why: 'Which network provider runs, its version, and whether its agents are ready.',
    },
    {
      apiGroup: '',
      resource: 'configmaps',
      verbs: ['get'],
      resourceNames: OBSERVED_CONFIG_MAPS,
      why: 'Whether the provider has enforcement or its domain filter switched off.',
    },
  ],
};

export const probeInstall: Grant = {
  identity: 'agentplane-probe',
  role: 'agentplane-probe',
  chart: 'agentplane',
  namespace: 'install',
  rules: [
    {
      apiGroup: agentplane,
      resource: 'capabilityreports',
      verbs: ['get'],
      resourceNames: ['cluster'],
      why: 'Which provider to compile for, and whether the results are still about it.',
    },
    {
      apiGroup: agentplane,
      resource: 'capabilityreports/status',
      verbs: ['patch'],
      resourceNames: ['cluster'],
      why: 'Publishes what packets have shown, in fields of its own.',
    },
  ],
};

/** In a namespace of its own, whose ServiceAccounts may do nothing: who may create pods may run them as any account of the namespace. */
export const probeCanaries: Grant = {
  identity: 'agentplane-probe',
  role: 'agentplane-probe',
  chart: 'agentplane',
  namespace: 'probe',
  rules: [
    {
      apiGroup: '',
      resource: 'pods',
      verbs: ['list', 'create', 'delete'],
      why: 'Runs canaries, which try what a policy opens and what it does not; reads in their status what came of it.',
    },
    {
      apiGroup: 'networking.k8s.io',
      resource: 'networkpolicies',
      verbs: ['create', 'delete'],
      why: 'Puts the canaries behind a floor and behind policies as the operator would write them.',
    },
    {
      apiGroup: 'cilium.io',
      resource: 'ciliumnetworkpolicies',
      verbs: ['create', 'delete'],
      when: 'cilium.enabled',
      why: 'The same for rules that need Cilium.',
    },
  ],
};

/** Every grant of every chart. */
export const grants: readonly Grant[] = [
  operatorGoverned,
  operatorInstall,
  inventoryInstall,
  inventorySystem,
  probeInstall,
  probeCanaries,
];
