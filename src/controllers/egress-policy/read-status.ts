/** Reads the status that an earlier reconcile wrote. Anything unreadable counts as absent: a status is a cache of facts. */
import { EgressPolicy, type EgressPolicyStatus } from '../../api/egress-policy.ts';

export function readStatus(value: unknown): EgressPolicyStatus {
  const parsed = EgressPolicy.status.safeParse(value ?? {});
  return parsed.success ? parsed.data : {};
}
