/** Reads what a command counts of itself. */
import type { Running } from '../../support/process.ts';

/** The sum over all series of the metric that have the labels, such as `{controller="egresspolicy"}`. */
export async function metricOf(
  { metricsPort }: Running,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** How many reconciles of policies have ended. */
export function reconciled(operator: Running): Promise<number> {
  return metricOf(operator, 'agentplane_reconcile_duration_seconds_count', { controller: 'egresspolicy' });
}
