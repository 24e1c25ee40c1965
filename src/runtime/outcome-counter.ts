import { Counter, type Registry } from 'prom-client';

export interface OutcomeCounterOptions<T extends string> {
  readonly name: string;
  readonly help: string;
  /** All that there are: a closed set. */
  readonly outcomes: readonly T[];
  readonly registry: Registry;
}

/**
 * A counter with the label `outcome`. Every series is there with 0 from the start: of one that appears with a 1, `increase()` and `rate()` see
 * nothing, so that an alert would miss the first of what it waits for.
 */
export function createOutcomeCounter<T extends string>(options: OutcomeCounterOptions<T>): (outcome: T) => void {
  const { name, help, outcomes, registry } = options;
  const counter = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
  for (const outcome of outcomes) counter.inc({ outcome }, 0);
  return (outcome) => counter.inc({ outcome });
}
