import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createRunCounter } from './metrics.ts';

test('each outcome of a run is there with 0 from the start, so that an increase sees the first', async () => {
  const registry = new Registry();
  const onRun = createRunCounter(registry);
  const counts = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('agentplane_probe'));
  const expected = (failed: number) => [
    'agentplane_probe_runs_total{outcome="Verified"} 0',
    `agentplane_probe_runs_total{outcome="Failed"} ${failed}`,
    'agentplane_probe_runs_total{outcome="Inconclusive"} 0',
  ];
  expect(await counts()).toEqual(expected(0));
  onRun('Failed');
  expect(await counts()).toEqual(expected(1));
});
