/** The loop: look at the report, and probe when there are no results about this cluster, or when they grow old. */
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import { differsIn, probedNow } from '../api/enforcement.ts';
import { type Facts, factsOf } from '../compile/facts.ts';
import type { Client } from '../kube/client.ts';
import { type Clock, pause } from '../kube/clock.ts';
import { isKubeError } from '../kube/errors.ts';
import type { Logger } from '../kube/logger.ts';
import { dueInMs, hasResults } from './due.ts';
import type { OnResults } from './metrics.ts';
import { publishResults, type ReportRef, readReport } from './publish.ts';
import { type RunOutcome, statusOf, worstOf } from './results.ts';
import { type RunSettings, runProbe } from './run.ts';
import type { RunVerdict } from './verdict.ts';

export interface ProbeSettings extends RunSettings {
  readonly report: ReportRef;
  readonly reportMaxAgeMs: number;
  readonly intervalMs: number;
  readonly expiryMs: number;
  readonly compiler: string;
}

export interface ProbeParts {
  readonly client: Pick<Client, 'get' | 'list' | 'create' | 'delete' | 'apply'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For metrics. */
  readonly onRun: (outcome: RunOutcome) => void;
  /** The same: what stands in the report, at each look. */
  readonly onResults: OnResults;
}

export interface Probe {
  /** Whether there are results about this cluster. */
  isReady(): boolean;
  /** Until the signal is aborted. Never rejects: what cannot be tried now is tried again. */
  run(signal: AbortSignal): Promise<void>;
}

/** How often the report is looked at. */
const LOOK_MS = 10_000;
const AFTER_ERROR_MS = 30_000;

export function createProbe(settings: ProbeSettings, parts: ProbeParts): Probe {
  const { clock, logger } = parts;
  const { compiler, intervalMs } = settings;
  let disappointments = 0;
  let ready = false;

  const look = async (signal: AbortSignal): Promise<void> => {
    const report = await readReport(parts.client, settings.report, signal);
    parts.onResults(report?.enforcement ?? []);
    const now = clock.now();
    ready = hasResults(report, compiler, now);
    // Without one nothing could be compiled, and nothing be told.
    if (factsNow(report, settings, clock).state !== 'Known') return;
    if (dueInMs({ report, compiler, intervalMs, disappointments, now }) > 0) return;
    const { capabilities } = await probeOnce(settings, { ...parts, signal }, { publish: true });
    const outcome = worstOf(capabilities);
    disappointments = outcome === 'Verified' ? 0 : disappointments + 1;
    ready = true;
    parts.onRun(outcome);
    const results = Object.fromEntries(
      capabilities.map(({ capability, result, reason }) => [capability, `${result}/${reason}`]),
    );
    logger.info({ results }, 'probed');
  };

  return {
    isReady: () => ready,
    async run(signal) {
      while (!signal.aborted) {
        let waitMs = LOOK_MS;
        try {
          await look(signal);
        } catch (error) {
          if (signal.aborted) return;
          const reason = isKubeError(error) ? error.reason : 'Unknown';
          logger.warn({ reason, message: error instanceof Error ? error.message : String(error) }, 'could not probe');
          waitMs = AFTER_ERROR_MS;
        }
        await pause(clock, waitMs, signal);
      }
    },
  };
}

/** Throws when the cluster has become another meanwhile: the results would be about neither. */
export async function probeOnce(
  settings: ProbeSettings,
  parts: Omit<ProbeParts, 'onRun' | 'onResults'> & { readonly signal: AbortSignal },
  { publish }: { readonly publish: boolean },
): Promise<RunVerdict> {
  const { client, clock, signal } = parts;
  const before = await readReport(client, settings.report, signal);
  const verdict = await runProbe(settings, factsNow(before, settings, clock), parts);
  const after = await readReport(client, settings.report, signal);
  const probed = probedNow(before, settings.compiler);
  const present = probedNow(after, settings.compiler);
  const changed = probed && (present === undefined ? 'report' : differsIn(probed, present));
  if (changed !== undefined) throw new Error(`the ${changed} has changed while it was probed: probe again`);
  if (!publish) return verdict;
  if (probed === undefined || before === undefined)
    throw new Error(`there is no CapabilityReport ${settings.report.name}: is the inventory running?`);
  const { expiryMs, report } = settings;
  const status = statusOf({ verdict, probed, report: before, now: clock.now(), expiryMs });
  await publishResults(client, report, { status, signal });
  return verdict;
}

function factsNow(report: CapabilityReportStatus | undefined, { reportMaxAgeMs }: ProbeSettings, clock: Clock): Facts {
  return factsOf(report, (observedAt) => clock.now().getTime() - Date.parse(observedAt) <= reportMaxAgeMs);
}
