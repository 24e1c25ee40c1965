/** Whether packets have shown what a policy claims. Pure; the clock is passed in. */
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import type { EgressPolicySpec } from '../../api/egress-policy.ts';
import { type ProofFinding, proofOf } from '../../api/enforcement.ts';
import type { Facts } from '../../compile/facts.ts';
import { requirementsOf } from '../../compile/requirements.ts';
import { PRODUCT_VERSION } from '../../version.ts';

export interface Cluster {
  readonly report: CapabilityReportStatus | undefined;
  readonly facts: Facts;
  readonly now: Date;
}

/** By what the spec needs. A report that is too old cannot tell whether the cluster is still the one that was probed. */
export function judgeProof(spec: EgressPolicySpec | undefined, { report, facts, now }: Cluster): ProofFinding {
  if (spec === undefined) return notProbed('the spec cannot be read');
  if (facts.state === 'Stale') return notProbed(`the capability report of ${facts.observedAt} is too old to rely on`);
  const capabilities = requirementsOf(spec).map(({ capability }) => capability);
  return proofOf({ report, capabilities, compiler: PRODUCT_VERSION, now });
}

/** What is not in force cannot be shown to be. That the cluster does not enforce is true all the same. */
export function enforcedFinding(proof: ProofFinding, isApplied: boolean): ProofFinding {
  if (proof.status !== 'True' || isApplied) return proof;
  return notProbed('the cluster has been probed, but this generation is not applied');
}

function notProbed(message: string): ProofFinding {
  return { status: 'Unknown', reason: 'NotProbed', message };
}
