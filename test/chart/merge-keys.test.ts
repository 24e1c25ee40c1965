/**
 * Lists that the API server merges by a key hold no key twice: a server-side apply, which Helm 4 does, refuses such an object whole. Which
 * lists these are, and by which keys, is read from the OpenAPI document of Kubernetes.
 */
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonList, isJsonMap, type Json, type JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import type { ChartDefinition } from '../../scripts/synth/chart-definition.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { RefusedValues } from '../../scripts/synth/static.ts';
import { synthStatic } from '../../scripts/synth/synth-static.ts';
import { seeded } from '../support/seed.ts';
import { valuesOf } from './support/arbitrary.ts';
import { objectsOf, print, RELEASE } from './support/helm.ts';
import { byIdentity, identityOf } from './support/objects.ts';
import { kubernetesOpenApi } from './support/openapi.ts';

const charts = await loadCharts(REPOSITORY);
const openApi = await kubernetesOpenApi();
const definitions = openApi === undefined ? {} : await definitionsIn(openApi);

async function definitionsIn(file: string): Promise<Readonly<Record<string, JsonMap>>> {
  return (JSON.parse(await readFile(file, 'utf8')) as { definitions: Record<string, JsonMap> }).definitions;
}

function definitionOf({ apiVersion, kind }: JsonMap): JsonMap | undefined {
  const [version, group = ''] = String(apiVersion).split('/').reverse();
  return Object.values(definitions).find((definition) =>
    ((definition['x-kubernetes-group-version-kind'] ?? []) as readonly JsonMap[]).some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ),
  );
}

function resolved(schema: JsonMap | undefined): JsonMap {
  const name = /^#\/definitions\/(.+)$/.exec(String(schema?.$ref))?.[1];
  return (name === undefined ? schema : definitions[name]) ?? {};
}

/** Keys by which the items of a list are told apart: undefined for a list that is replaced as a whole. */
function keysOf(schema: JsonMap): readonly string[] | undefined {
  const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  const merge = schema['x-kubernetes-patch-merge-key'];
  if (keys !== undefined) return keys;
  return schema['x-kubernetes-patch-strategy'] === 'merge' && typeof merge === 'string' ? [merge] : undefined;
}

/** Places at which a key stands twice, and how many lists were looked at. */
function judge(value: Json, schema: JsonMap, path: string, seen: { lists: number }): readonly string[] {
  if (isJsonList(value)) {
    const keys = keysOf(schema);
    const items = resolved(schema.items as JsonMap | undefined);
    const below = value.flatMap((item, index) => judge(item, items, `${path}[${index}]`, seen));
    if (keys === undefined) return below;
    seen.lists += 1;
    const ids = value.map((item) => JSON.stringify(keys.map((key) => (item as JsonMap)[key] ?? null)));
    return new Set(ids).size === ids.length ? below : [...below, `${path}: ${ids.join(' ')}`];
  }
  if (!isJsonMap(value)) return [];
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonMap>>;
  return Object.entries(value).flatMap(([key, child]) => {
    const own = properties[key];
    // The extensions of a list stand beside its reference, so that they are read before it is followed.
    return own === undefined ? [] : judge(child, { ...resolved(own), ...own }, `${path}.${key}`, seen);
  });
}

function twice(objects: readonly JsonMap[], seen = { lists: 0 }): readonly string[] {
  return objects.flatMap((object) => judge(object, definitionOf(object) ?? {}, identityOf(object), seen));
}

function chartNamed(name: string): ChartDefinition {
  const chart = charts.find((each) => each.name === name);
  if (chart === undefined) throw new Error(`no chart ${name}`);
  return chart;
}

/** Of values that must be accepted, or of those whose refusal says this. */
async function render(
  chart: ChartDefinition,
  values: JsonMap,
  refusal?: string,
): Promise<{ readonly objects: readonly JsonMap[] }> {
  const rendering = await print(chart.name, values);
  if (refusal === undefined) return { objects: objectsOf(rendering) };
  expect(rendering.text).toBeUndefined();
  expect(rendering.error).toContain(refusal);
  return { objects: [] };
}

describe.skipIf(openApi === undefined)('a list that is merged by a key (its keys come from Go sources)', () => {
  it.each(charts.map((chart) => [chart.name, chart] as const))(
    'holds none twice in any fixture of %s',
    async (name, chart) => {
      const seen = { lists: 0 };
      for (const values of Object.values(chart.fixtures)) {
        expect(twice((await render(chart, values)).objects, seen)).toEqual([]);
      }
      // Those of the pods: containers, ports, environment, constraints.
      if (name === 'agentplane') expect(seen.lists).toBeGreaterThan(50);
    },
  );

  it.each(charts.map((chart) => [chart.name, chart] as const))(
    'holds none twice for generated values of %s',
    (_, chart) => {
      fc.assert(
        fc.property(valuesOf(chart.values), (values) => {
          try {
            expect(twice(synthStatic(chart, values, RELEASE))).toEqual([]);
          } catch (error) {
            if (!(error instanceof RefusedValues)) throw error;
          }
        }),
        seeded(60),
      );
    },
  );

  it.each([
    ['agentplane', { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }, 'imagePullSecrets'],
    ['agentplane', { governedNamespaces: [{ name: 'a' }, { name: 'a', floor: 'GovernedPods' }] }, 'governedNamespaces'],
    [
      'agentplane-cluster',
      { installs: ['b', 'c'].map((each) => ({ namespace: 'a', governedNamespaces: [each] })) },
      'installs',
    ],
  ] as const)('of values that repeat themselves is refused by name: %s %j', async (name, values, refusal) => {
    await render(chartNamed(name), values as unknown as JsonMap, refusal);
  });

  it.each([
    ['agentplane', { governedNamespaces: [{ name: 'a', secrets: ['s', 's'] }] }],
    ['agentplane', { inventory: { runtimeClasses: ['a', 'a'] } }],
    ['agentplane', { apiServer: { addresses: ['192.0.2.1', '192.0.2.1'] } }],
    ['agentplane-cluster', { installs: [{ namespace: 'a', governedNamespaces: ['b', 'b'] }] }],
    ['agentplane-cluster', { installs: [{ namespace: 'a' }], runtimeClasses: ['c', 'c'] }],
    ['agentplane', { tolerations: [{ operator: 'Exists' }, { operator: 'Exists' }] }],
    ['agentplane', { apiServer: { port: 443, servicePort: 443 }, governedNamespaces: [{ name: 'a' }] }],
    ['agentplane', { apiServer: { port: 443, servicePort: 443 }, networkPolicy: { ciliumEgress: true } }],
  ] as const)('of values that repeat themselves holds none twice: %s %j', async (name, values) => {
    const { objects } = await render(chartNamed(name), values as unknown as JsonMap);
    expect(twice(objects)).toEqual([]);
    // No object twice either.
    expect(Object.keys(byIdentity(objects))).toHaveLength(objects.length);
  });

  it('is found where it does', () => {
    const pod = (env: readonly JsonMap[]) => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
      spec: { containers: [{ name: 'a', env }] },
    });
    expect(
      twice([
        pod([
          { name: 'A', value: '1' },
          { name: 'B', value: '1' },
        ]),
      ]),
    ).toEqual([]);
    expect(
      twice([
        pod([
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ]),
      ]),
    ).toHaveLength(1);
  });
});
