/** The operator's rights in a namespace outlive the profiles that it has promised to let go of. */
import type { AdmissionRule } from './rule.ts';

/** The finalizer that the operator puts on a RuntimeProfile. docs/operations/finalizers.md. */
export const GOVERNED_WORKLOADS = 'agentplane.dev/governed-workloads';

/**
 * When a namespace is deleted, its Roles go in no particular order. Were the operator's first, nobody could release the profiles, and
 * the namespace would stay for ever. The namespace controller tries again until this lets it.
 */
export const rightsLast: AdmissionRule = {
  name: 'rights-last',
  holds: `!('${GOVERNED_WORKLOADS}' in params.metadata.?finalizers.orValue([]))`,
  message: `'RuntimeProfile ' + params.metadata.name + ' is still held by ${GOVERNED_WORKLOADS}: the operator needs its rights to release it'`,
};
