/** One line about an EgressPolicy: what is asked, what is in force, and what stands in the way. Pure. */
import { isActive } from '../api/active.ts';
import type { Condition } from '../api/conditions.ts';
import { readStatus } from '../controllers/egress-policy/read-status.ts';
import { profileNameOf } from '../explain/judge.ts';
import type { KubeObject } from '../kube/types.ts';

export interface PolicyStatus {
  readonly namespace: string;
  readonly name: string;
  readonly profile: string | null;
  /** The newest spec. */
  readonly generation: number | null;
  /** The generation that the status is about. */
  readonly observedGeneration: number | null;
  /** The generation that is enforced. */
  readonly inForceGeneration: number | null;
  /** By the consumer's rule: the newest generation, and no older one, is in force. */
  readonly active: boolean;
  readonly ready: { readonly status: string; readonly reason: string; readonly message: string };
  /** Everything else that a person should look at although the policy may be active. */
  readonly warnings: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
}

/** For a policy that no operator has looked at. */
const NEVER_SEEN = {
  status: 'Unknown',
  reason: 'NotObserved',
  message: 'no operator has looked at it: is its namespace governed, and is the operator running?',
};

export function policyStatus(policy: KubeObject): PolicyStatus {
  const { metadata } = policy;
  const status = readStatus(policy.status);
  const conditions = status.conditions ?? [];
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    profile: profileNameOf(policy) ?? null,
    generation: metadata.generation ?? null,
    observedGeneration: status.observedGeneration ?? null,
    inForceGeneration: status.inForce?.generation ?? null,
    active: isActive({ metadata, status }),
    ready: readyOf(conditions, metadata.generation),
    warnings: conditions.filter(isWarning).map(({ type, reason, message }) => ({ type, reason, message })),
  };
}

/** A status about an older spec says nothing of the newest one, and must not read as if it did. */
function readyOf(conditions: readonly Condition[], generation: number | undefined): PolicyStatus['ready'] {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) return NEVER_SEEN;
  const { status, reason, message, observedGeneration } = ready;
  if (observedGeneration === generation) return { status, reason, message };
  const then = `generation ${observedGeneration} was ${status}/${reason}: ${message}`;
  return { status: 'Unknown', reason: 'NotObserved', message: `the newest spec has not been looked at; ${then}` };
}

function isWarning({ type, status }: Condition): boolean {
  return (type === 'Degraded' && status === 'True') || (type === 'Exclusive' && status !== 'True');
}
