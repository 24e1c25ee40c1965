/** From a verdict to what stands in the CapabilityReport, and what the exit code says. Pure; the clock is passed in. */
import type { CapabilityReportStatus, Enforcement, Probed } from '../api/capability-report.ts';
import { boundedText } from '../kube/text.ts';
import { wholeSeconds } from '../runtime/conditions.ts';
import type { CapabilityVerdict, RunVerdict } from './verdict.ts';

/** The part of the report that the probe writes. */
export interface ProbeStatus {
  readonly probed: Probed;
  readonly enforcement: readonly Enforcement[];
}

export interface ResultsRequest {
  readonly verdict: RunVerdict;
  readonly probed: Probed;
  /** By which the nodes are counted. */
  readonly report: CapabilityReportStatus;
  readonly now: Date;
  readonly expiryMs: number;
}

/** The bound of the schema. */
const MAX_MESSAGE_BYTES = 512;

export function statusOf({ verdict, probed, report, now, expiryMs }: ResultsRequest): ProbeStatus {
  const total = report.provider?.agents?.desired;
  const enforcement = verdict.capabilities.map(({ capability, result, reason, message, nodes }) => ({
    capability,
    result,
    reason,
    message: boundedText(message, MAX_MESSAGE_BYTES),
    at: wholeSeconds(now),
    expiresAt: wholeSeconds(new Date(now.getTime() + expiryMs)),
    nodes: { covered: nodes, ...(total === undefined ? {} : { total }) },
  }));
  return { probed, enforcement };
}

/** A closed set, for a metric label. */
export const RUN_OUTCOMES = ['Verified', 'Failed', 'Inconclusive'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** The worst of all. Where nothing is verified, nothing is shown. */
export function worstOf(capabilities: readonly CapabilityVerdict[]): RunOutcome {
  const results = new Set(capabilities.map(({ result }) => result));
  if (results.has('Failed')) return 'Failed';
  return results.has('Inconclusive') || !results.has('Verified') ? 'Inconclusive' : 'Verified';
}
