/** When to probe again. Pure: by what stands in the report, so that neither a restart nor a run by somebody else makes another one. */
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import { differsIn, isCurrent, probedNow } from '../api/enforcement.ts';

export interface DueRequest {
  readonly report: CapabilityReportStatus | undefined;
  readonly compiler: string;
  readonly intervalMs: number;
  /** How many runs in a row did not come out as hoped. */
  readonly disappointments: number;
  readonly now: Date;
}

/** The first repetition of what did not come out as hoped. Each further one takes twice as long. */
const RETRY_MS = 60_000;

/** Milliseconds until the next run; 0 when it is due. */
export function dueInMs({ report, compiler, intervalMs, disappointments, now }: DueRequest): number {
  if (!isAboutNow(report, compiler)) return 0;
  const ages = (report?.enforcement ?? []).map(({ at }) => now.getTime() - Date.parse(at));
  const ageMs = Math.min(...ages);
  // A time to come is that of another clock.
  if (ages.length === 0 || ageMs < 0) return 0;
  const delayMs = disappointments === 0 ? intervalMs : Math.min(intervalMs, RETRY_MS * 2 ** (disappointments - 1));
  return Math.max(0, delayMs - ageMs);
}

/** Whether the report holds results that count. */
export function hasResults(report: CapabilityReportStatus | undefined, compiler: string, now: Date): boolean {
  return isAboutNow(report, compiler) && (report?.enforcement ?? []).some((item) => isCurrent(item, now));
}

function isAboutNow(report: CapabilityReportStatus | undefined, compiler: string): boolean {
  const current = probedNow(report, compiler);
  return report?.probed !== undefined && current !== undefined && differsIn(report.probed, current) === undefined;
}
