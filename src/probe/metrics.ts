/** Runs of the probe, by how they came out. */
import type { Registry } from 'prom-client';
import { createOutcomeCounter } from '../runtime/outcome-counter.ts';
import { RUN_OUTCOMES, type RunOutcome } from './results.ts';

export function createRunCounter(registry: Registry): (outcome: RunOutcome) => void {
  return createOutcomeCounter({
    name: 'agentplane_probe_runs_total',
    help: 'Runs of the probe by outcome: Verified, Failed when any capability failed, Inconclusive.',
    outcomes: RUN_OUTCOMES,
    registry,
  });
}
