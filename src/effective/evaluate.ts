import type { Egress, PolicySet, Subject, World } from './types.ts';

/** What the policies allow the pod to reach. Pure and total: what cannot be read is an `unknown` grant, never an error. */
export function effectiveEgress(_subject: Subject, _policies: PolicySet, _world: World): Egress {
  throw new Error('not built yet');
}
