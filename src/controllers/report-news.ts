/** What of a CapabilityReport is news to policies, and when it changes without a word. Pure. */
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import { isCurrent } from '../api/enforcement.ts';
import { canonicalJson } from '../compile/canonical.ts';

/** What the probe has shown, but for when: that it has shown the same again is no news. */
export function proofSummary({ probed, enforcement = [] }: CapabilityReportStatus, now: Date): string {
  const results = enforcement.map((item) => {
    const { capability, result, reason, message } = item;
    return { capability, result, reason, message, current: isCurrent(item, now) };
  });
  return canonicalJson({ probed, results });
}

/** How long until the report grows stale, or one of its results expires; undefined when nothing is left that could. */
export function nextChangeMs(
  report: CapabilityReportStatus | undefined,
  { maxAgeMs, now }: { readonly maxAgeMs: number; readonly now: Date },
): number | undefined {
  if (report?.observedAt === undefined) return undefined;
  const ends = [
    Date.parse(report.observedAt) + maxAgeMs,
    ...(report.enforcement ?? []).map(({ expiresAt }) => Date.parse(expiresAt)),
  ];
  const waits = ends.map((end) => end - now.getTime()).filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
