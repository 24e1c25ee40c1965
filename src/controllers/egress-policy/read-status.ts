/** Reads the status that an earlier reconcile wrote. Anything unreadable counts as absent: a status is a cache of facts. */
import { EgressPolicy, type EgressPolicyStatus } from '../../api/egress-policy.ts';

export function readStatus(value: unknown): EgressPolicyStatus {
  const parsed = EgressPolicy.status.safeParse(value ?? {});
  return parsed.success ? parsed.data : {};
}

export type InForce = NonNullable<EgressPolicyStatus['inForce']>;

/** What was put in force last, whether or not somebody has changed it since. */
export function recordedIn({ inForce, lastApplied }: EgressPolicyStatus): InForce | undefined {
  return inForce ?? lastApplied;
}
