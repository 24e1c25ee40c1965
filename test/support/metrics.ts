/** Reads what a command counts of itself. */
import type { Running } from './process.ts';

/** The sum of all samples of the metric that carry these labels, as the process serves them now. */
export async function metricOf(
  { metricsPort }: Running,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  return text
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** How many reconciles of policies have ended. */
export function reconciled(operator: Running): Promise<number> {
  return metricOf(operator, 'agentplane_reconcile_duration_seconds_count', { controller: 'egresspolicy' });
}
