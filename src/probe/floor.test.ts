import { Chart, Testing } from 'cdk8s';
import { expect, it } from 'vitest';
import { release } from '../../constructs/expr/expr.ts';
import { FloorPolicy } from '../../constructs/floor-policy.ts';
import { FLOOR } from './floor.ts';

it('the floor of the canaries is that of the chart', () => {
  const chart = new Chart(Testing.app(), 'test');
  new FloorPolicy(chart, 'floor', { namespace: release.namespace, covers: 'GovernedPods', labels: {} });
  const [rendered] = Testing.synth(chart) as { apiVersion: string; kind: string; spec: unknown }[];
  const { apiVersion, kind, spec } = FLOOR;
  expect({ apiVersion, kind, spec }).toEqual({
    apiVersion: rendered?.apiVersion,
    kind: rendered?.kind,
    spec: rendered?.spec,
  });
});
