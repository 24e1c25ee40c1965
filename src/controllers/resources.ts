/** The resources that the operator and the inventory touch. */
import { CapabilityReport } from '../api/capability-report.ts';
import { EgressPolicy } from '../api/egress-policy.ts';
import { PolicyBundle } from '../api/policy-bundle.ts';
import { RuntimeProfile } from '../api/runtime-profile.ts';
import { SecretBinding } from '../api/secret-binding.ts';
import type { Resource } from '../kube/types.ts';

function ofKind({ group, version, plural, kind }: Resource): Resource {
  return { group, version, plural, kind };
}

export const EGRESS_POLICIES = ofKind(EgressPolicy);
export const RUNTIME_PROFILES = ofKind(RuntimeProfile);
export const SECRET_BINDINGS = ofKind(SecretBinding);
export const POLICY_BUNDLES = ofKind(PolicyBundle);
export const CAPABILITY_REPORTS = ofKind(CapabilityReport);
export const NETWORK_POLICIES: Resource = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'networkpolicies',
  kind: 'NetworkPolicy',
};
export const CILIUM_NETWORK_POLICIES: Resource = {
  group: 'cilium.io',
  version: 'v2',
  plural: 'ciliumnetworkpolicies',
  kind: 'CiliumNetworkPolicy',
};
/** Only ever asked for by name, and only for their metadata. */
export const SECRETS: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
/** Only ever asked for by name. */
export const CONFIG_MAPS: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
export const PODS: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' };
export const VOLUME_CLAIMS: Resource = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
};

/** The field manager of generated objects, the one of statuses, and the one of our finalizer: one per concern. */
export const OPERATOR_MANAGER = 'agentplane-operator';
export const STATUS_MANAGER = 'agentplane-status';
export const FINALIZER_MANAGER = 'agentplane-finalizer';
