/** What the operator counts of its own subject, beside what the runtime counts of itself. Labels are closed sets. */
import { Gauge, type Registry } from 'prom-client';
import { CapabilityReport } from '../api/capability-report.ts';
import { KINDS } from '../api/kinds.ts';
import type { KubeObject } from '../kube/types.ts';
import { createOutcomeCounter } from '../runtime/outcome-counter.ts';
import { DRIFT_OUTCOMES, type DriftOutcome } from './egress-policy/publish.ts';
import { conditionOf } from './observable.ts';

/** What `Ready` says of the newest generation. `NotJudged`: nothing yet. */
export const READINESS = ['True', 'False', 'Unknown', 'NotJudged'] as const;

export function createDriftCounter(registry: Registry): (outcome: DriftOutcome) => void {
  return createOutcomeCounter({
    name: 'agentplane_drift_total',
    help: 'Changes of generated objects by others: restored, accepted by a pause, or contested and left.',
    outcomes: DRIFT_OUTCOMES,
    registry,
  });
}

/** Counted at each scrape, from what the caches hold: no call, and nothing to be kept in step. */
export function createReadinessGauge(
  registry: Registry,
  governed: () => readonly (readonly [kind: string, object: KubeObject])[],
): void {
  const kinds = KINDS.map(({ kind }) => kind).filter((kind) => kind !== CapabilityReport.kind);
  new Gauge({
    name: 'agentplane_objects',
    help: 'Objects of AgentPlane in the governed namespaces, by what Ready says of their newest generation.',
    labelNames: ['kind', 'ready'],
    registers: [registry],
    collect() {
      this.reset();
      for (const kind of kinds) for (const ready of READINESS) this.set({ kind, ready }, 0);
      for (const [kind, object] of governed()) this.inc({ kind, ready: readinessOf(object) });
    },
  });
}

/** A status is written by whoever may: what is not one of ours counts as nothing said. */
function readinessOf(object: KubeObject): (typeof READINESS)[number] {
  const status = conditionOf(object, 'Ready')?.status;
  return READINESS.find((each) => each === status) ?? 'NotJudged';
}
