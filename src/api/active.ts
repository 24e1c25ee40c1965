/** The consumer's rule: when a policy or profile may be shown as active. */
import type { Condition } from './conditions.ts';

/** As much of an AgentPlane object as the rule needs. */
export interface Observable {
  readonly metadata: { readonly generation?: number | undefined };
  readonly status?:
    | { readonly observedGeneration?: number | undefined; readonly conditions?: readonly Condition[] | undefined }
    | undefined;
}

/**
 * True only when the newest spec is in force: `Ready` is True, and the object's generation, the status's observed
 * generation and the condition's observed generation are all the same. Anything else must be shown as what it is:
 * a newer spec never inherits an older success.
 */
export function isActive(object: Observable): boolean {
  const { generation } = object.metadata;
  if (generation === undefined || object.status?.observedGeneration !== generation) return false;
  const ready = object.status.conditions?.find((condition) => condition.type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === generation;
}
