/** What the operator counts of its own subject, beside what the runtime counts of itself. Labels are closed sets. */
import { Counter, type Registry } from 'prom-client';
import type { DriftOutcome } from './egress-policy/publish.ts';

export function createDriftCounter(registry: Registry): (outcome: DriftOutcome) => void {
  const drift = new Counter({
    name: 'agentplane_drift_total',
    help: 'Changes of generated objects by others: restored, accepted by a pause, or contested and left.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => drift.inc({ outcome });
}
