import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createResultsGauge, createRunCounter } from './metrics.ts';

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

test('results are counted as they stand in the report, whoever has written them', async () => {
  const registry = new Registry();
  const onResults = createResultsGauge(registry);
  const counts = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('agentplane_probe_results'));
  const expected = (verified: number, failed: number) => [
    `agentplane_probe_results{result="Verified"} ${verified}`,
    `agentplane_probe_results{result="Failed"} ${failed}`,
    'agentplane_probe_results{result="Inconclusive"} 0',
    'agentplane_probe_results{result="Unsupported"} 0',
  ];
  // Before the report was read nothing is said, in place of "none failed".
  expect(await counts()).toEqual([]);
  onResults([{ result: 'Verified' }, { result: 'Failed' }, { result: 'Failed' }]);
  expect(await counts()).toEqual(expected(1, 2));
  onResults([{ result: 'Verified' }]);
  expect(await counts()).toEqual(expected(1, 0));
  onResults([]);
  expect(await counts()).toEqual(expected(0, 0));
});
