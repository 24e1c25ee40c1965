/** Follows the CapabilityReport: what it says, whether it is fresh, and when either changes what policies may rely on. */
import { CapabilityReport, type CapabilityReportStatus } from '../api/capability-report.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Clock } from '../kube/clock.ts';
import type { Informer } from '../kube/informer.ts';
import { nextChangeMs, proofSummary } from './report-news.ts';

export interface ReportWatch {
  readonly current: () => CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  /** Ends the timer that waits for the report to grow stale, or for a result in it to expire. */
  readonly stop: () => void;
}

export interface ReportWatchOptions {
  readonly informer: Informer;
  /** The name of the report that counts. */
  readonly name: string;
  readonly maxAgeMs: number;
  readonly clock: Clock;
  /** Called when policies have to be looked at again: not for a mere heartbeat. */
  readonly onNews: () => void;
}

export function createReportWatch({ informer, name, maxAgeMs, clock, onNews }: ReportWatchOptions): ReportWatch {
  const current = () => {
    const parsed = CapabilityReport.status.safeParse(informer.get(name)?.status);
    return parsed.success ? parsed.data : undefined;
  };
  // A report from the future would never grow stale, so it counts as stale as well.
  const isFresh = (observedAt: string) => Math.abs(clock.now().getTime() - Date.parse(observedAt)) <= maxAgeMs;
  const summary = (): string => {
    const report = current();
    if (report?.observedAt === undefined) return '';
    const runtimeClasses = canonicalJson(report.runtimeClasses ?? []);
    return `${report.capabilityHash} ${isFresh(report.observedAt)} ${proofSummary(report, clock.now())} ${runtimeClasses}`;
  };

  let known = summary();
  let cancel: () => void = () => undefined;
  let stopped = false;
  const look = () => {
    if (stopped) return;
    const news = summary();
    const changed = news !== known;
    known = news;
    cancel();
    const waitMs = nextChangeMs(current(), { maxAgeMs, now: clock.now() });
    // One second more: the timestamps have whole seconds.
    if (waitMs !== undefined) cancel = clock.schedule(waitMs + 1000, look);
    if (changed) onNews();
  };
  informer.onChange((change) => {
    if (change.name === name) look();
  });
  return {
    current,
    isFresh,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}
