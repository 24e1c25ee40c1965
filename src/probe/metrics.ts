/** Runs of the probe, by how they came out. */
import { Counter, type Registry } from 'prom-client';
import type { worstOf } from './results.ts';

type Outcome = ReturnType<typeof worstOf>;

export function createRunCounter(registry: Registry): (outcome: Outcome) => void {
  const runs = new Counter({
    name: 'agentplane_probe_runs_total',
    help: 'Runs of the probe by outcome: Verified, Failed when any capability failed, Inconclusive.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => runs.inc({ outcome });
}
