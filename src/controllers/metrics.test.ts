import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { KubeObject } from '../kube/types.ts';
import { createDriftCounter, createReadinessGauge } from './metrics.ts';

const policy = (
  name: string,
  generation: number,
  ready?: { readonly status: string; readonly observedGeneration: number },
) =>
  ({
    metadata: { name, namespace: 'a', generation },
    spec: {},
    ...(ready === undefined
      ? {}
      : { status: { observedGeneration: ready.observedGeneration, conditions: [{ type: 'Ready', ...ready }] } }),
  }) as unknown as KubeObject;

test('objects are counted by what Ready says of their newest generation, at each scrape', async () => {
  const registry = new Registry();
  const governed: (readonly [string, KubeObject])[] = [];
  createReadinessGauge(registry, () => governed);
  const counts = async () => {
    const { values } = (await registry.getMetricsAsJSON())[0] as unknown as {
      values: readonly { readonly value: number; readonly labels: { readonly kind: string; readonly ready: string } }[];
    };
    return values
      .filter(({ labels }) => labels.kind === 'EgressPolicy')
      .map(({ labels, value }) => [labels.ready, value]);
  };
  const expected = (...values: readonly number[]) =>
    ['True', 'False', 'Unknown', 'NotJudged'].map((ready, i) => [ready, values[i]]);
  expect(await counts()).toEqual(expected(0, 0, 0, 0));
  governed.push(
    ['EgressPolicy', policy('works', 1, { status: 'True', observedGeneration: 1 })],
    ['EgressPolicy', policy('refused', 2, { status: 'False', observedGeneration: 2 })],
    // A newer spec inherits nothing.
    ['EgressPolicy', policy('lags', 2, { status: 'True', observedGeneration: 1 })],
    ['EgressPolicy', policy('new', 1)],
    ['EgressPolicy', policy('forged', 1, { status: 'Maybe', observedGeneration: 1 })],
    ['RuntimeProfile', policy('other', 1)],
  );
  expect(await counts()).toEqual(expected(1, 1, 0, 3));
  governed.length = 0;
  expect(await counts()).toEqual(expected(0, 0, 0, 0));
});

test('each outcome of drift is there with 0 from the start, so that an alert sees the first', async () => {
  const registry = new Registry();
  const onDrift = createDriftCounter(registry);
  const counts = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('agentplane_drift'));
  const expected = (contested: number) => [
    'agentplane_drift_total{outcome="restored"} 0',
    'agentplane_drift_total{outcome="accepted"} 0',
    `agentplane_drift_total{outcome="contested"} ${contested}`,
  ];
  expect(await counts()).toEqual(expected(0));
  onDrift('contested');
  expect(await counts()).toEqual(expected(1));
});
