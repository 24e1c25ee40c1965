import type { Decision, Egress, Flow } from './types.ts';

/** Whether the egress allows the flow, and which policy says so. */
export function decide(_egress: Egress, _flow: Flow): Decision {
  throw new Error('not built yet');
}
