/** What every AgentPlane kind shares: its group, its metadata as far as the product reads it, its stable identity. */
import { dnsLabel, type TransitionRule } from './dialect.ts';

export const GROUP = 'agentplane.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** The label on generated objects that says who manages them. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'agentplane';
/** The identity label on a generated object: the hash of the kind and the stable ID of the policy it was compiled from. */
export const POLICY_LABEL = 'agentplane.dev/policy';
/** The label on a governed pod that names its RuntimeProfile, for providers that cannot select a ServiceAccount. */
export const PROFILE_LABEL = 'agentplane.dev/profile';
/** The one finalizer: on a RuntimeProfile, for as long as there may be workloads that it governs. docs/operations/finalizers.md. */
export const WORKLOADS_FINALIZER = 'agentplane.dev/governed-workloads';
/** The NetworkPolicy that keeps a governed namespace shut. Rendered by the chart, never by the operator. */
export const FLOOR_NAME = 'agentplane-floor';

/** The part of an object's metadata that AgentPlane reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly creationTimestamp: string;
}

/** `spec.id`: the identity that outlives a rename, given by whoever manages the policy. Without it, the UID is used. */
export const stableId = dnsLabel(
  'A stable identity that generated names derive from. Optional; immutable once set. When absent the UID is used.',
).optional();

export const ID_IS_IMMUTABLE: TransitionRule<{ readonly id?: string | undefined }> = {
  rule: '!has(oldSelf.id) || (has(self.id) && self.id == oldSelf.id)',
  message: 'spec.id is immutable once set',
  check: (self, oldSelf) => oldSelf.id === undefined || self.id === oldSelf.id,
};

/**
 * `status.observedGeneration` of an object that nobody has judged, by default of the CRD: generations begin with 1. Without it, tools that follow kstatus take an object
 * without a status to be as it should be (fluxcd/cli-utils pkg/kstatus/status: no condition, no generation, "Current").
 */
export const NOT_OBSERVED = 0;
