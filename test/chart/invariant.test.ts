import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import type { ChartDefinition } from '../../scripts/synth/chart-definition.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { RefusedValues } from '../../scripts/synth/static.ts';
import { type ReleaseProps, synthStatic } from '../../scripts/synth/synth-static.ts';
import { seeded } from '../support/seed.ts';
import { valuesOf } from './support/arbitrary.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { byIdentity } from './support/objects.ts';
import { findings } from './support/safety.ts';
import { helms } from './support/tools.ts';

/**
 * What keeps the generated templates honest: `helm template -f V` yields the objects that the TypeScript back-end yields for
 * V, or both refuse V with the same message. Every rendering is also put to the safety rules.
 */

const charts = await loadCharts(REPOSITORY);
const release: ReleaseProps = { name: 'agentplane', namespace: 'agentplane-system' };

async function expectAgreement(
  chart: ChartDefinition,
  values: JsonMap,
  at: ReleaseProps,
): Promise<'rendered' | 'refused'> {
  const expected = staticAnswer(chart, values, at);
  for (const [, helm] of helms()) {
    const rendering = await helmTemplate(helm, chartFolder(chart.name), values, at);
    if (typeof expected === 'string') {
      expect(rendering.text).toBeUndefined();
      expect(rendering.error).toContain(expected);
    } else {
      const objects = objectsOf(rendering);
      expect(byIdentity(objects)).toEqual(byIdentity(expected));
      expect(findings(objects)).toEqual([]);
    }
  }
  return typeof expected === 'string' ? 'refused' : 'rendered';
}

/** The objects, or the message of the refusal. */
function staticAnswer(chart: ChartDefinition, values: JsonMap, at: ReleaseProps): readonly JsonMap[] | string {
  try {
    return synthStatic(chart, values, at);
  } catch (error) {
    if (error instanceof RefusedValues) return error.message;
    throw error;
  }
}

describe.each(charts.map((chart) => [chart.name, chart] as const))('%s: Helm and TypeScript agree', (_, chart) => {
  it.each(Object.entries(chart.fixtures))('on the fixture %s', async (_name, values) => {
    expect(await expectAgreement(chart, values, release)).toBe('rendered');
  });
});

describe('agentplane: Helm and TypeScript agree on generated values', () => {
  const [agentplane] = charts.filter((chart) => chart.name === 'agentplane');
  const outcomes = { rendered: 0, refused: 0 };

  beforeAll(async () => {
    if (agentplane === undefined) throw new Error('no chart agentplane');
    await fc.assert(
      fc.asyncProperty(valuesOf(agentplane.values), fc.nat(), async (any, pick) => {
        const values = pick % 2 === 0 ? any : fitting(any);
        outcomes[await expectAgreement(agentplane, values, releaseFor(values, pick))] += 1;
      }),
      seeded(300),
    );
    console.log(
      `invariant: ${outcomes.rendered} value sets rendered equal, ${outcomes.refused} refused alike, by Helm 3 and Helm 4`,
    );
  }, 600_000);

  it('on at least 100 renderings', () => {
    expect(outcomes.rendered).toBeGreaterThanOrEqual(100);
  });
});

/** The same, with what most refusals miss: generated values rarely have it by chance, and a file that somebody installs with has. */
function fitting(values: JsonMap): JsonMap {
  const of = (key: string): JsonMap => (values[key] ?? {}) as JsonMap;
  const addresses = ((of('apiServer').addresses ?? []) as readonly string[]).map((address) =>
    address.includes(':') ? '2001:db8::1' : address,
  );
  return {
    ...values,
    apiServer: { ...of('apiServer'), addresses },
    ...(of('alerts').enabled === true ? { serviceMonitor: { ...of('serviceMonitor'), enabled: true } } : {}),
    ...(of('networkPolicy').ciliumEgress === true
      ? { networkPolicy: { ...of('networkPolicy'), enabled: true }, apiServer: { ...of('apiServer'), addresses: [] } }
      : {}),
    inventory: { ...of('inventory'), intervalSeconds: 5 },
    operator: { ...of('operator'), reportMaxAgeSeconds: 300 },
  };
}

/** Now and then the release lives in a namespace that it governs: refused or not, depending on the floor. */
function releaseFor(values: JsonMap, pick: number): ReleaseProps {
  const governed = (values.governedNamespaces ?? []) as readonly { name: string }[];
  const own = pick % 8 === 0 ? governed[0]?.name : undefined;
  return { name: 'agentplane', namespace: own ?? release.namespace };
}

describe.each(charts.filter((chart) => chart.name !== 'agentplane').map((chart) => [chart.name, chart] as const))(
  '%s: Helm and TypeScript agree on generated values',
  (_, chart) => {
    it('on 15 value sets', async () => {
      await fc.assert(
        fc.asyncProperty(valuesOf(chart.values), async (values) => {
          await expectAgreement(chart, values, release);
        }),
        seeded(15),
      );
    });
  },
);
