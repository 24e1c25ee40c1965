/** Runs of the probe, by how they came out, and what is shown now. */
import { Gauge, type Registry } from 'prom-client';
import { ENFORCEMENT_RESULTS, type EnforcementResult } from '../api/capability.ts';
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

export type OnResults = (results: readonly { readonly result: EnforcementResult }[]) => void;

/**
 * What stands in the report: for as long as nothing else is shown, however far apart two runs are, whoever made the newest, and also after a
 * restart, which probes nothing anew.
 */
export function createResultsGauge(registry: Registry): OnResults {
  const gauge = new Gauge({
    name: 'agentplane_probe_results',
    help: 'Capabilities by what the newest run of the probe has shown of them.',
    labelNames: ['result'],
    registers: [registry],
  });
  return (results) => {
    for (const each of ENFORCEMENT_RESULTS)
      gauge.set({ result: each }, results.filter(({ result }) => result === each).length);
  };
}
