import { describe, expect, it } from 'vitest';
import { isJsonList, isJsonMap, type Json, type JsonMap } from '../../constructs/expr/json.ts';
import { commonMetadata } from '../../constructs/values/common.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { render } from './support/helm.ts';
import { byIdentity, identityOf } from './support/objects.ts';

/**
 * `commonLabels` and `commonAnnotations` reach the metadata of everything that is rendered, and nothing else. That both Helms and TypeScript
 * render them alike is a matter of invariant.test.ts; which keys are refused, of schema.test.ts.
 */

const labels = { 'cost-center': '4711', 'example.com/owner': 'platform' };
const annotations = { 'example.com/runbook': 'https://example.com/{{ name }}', 'example.com/on-call': '' };
const charts = await loadCharts(REPOSITORY);
const cases = charts.flatMap((chart) =>
  Object.entries(chart.fixtures).map(([name, values]) => [chart.name, name, values] as const),
);

/** Every map below that `where` finds, with its path. */
function found(value: Json, where: (key: string, map: JsonMap) => boolean, path = ''): readonly [string, JsonMap][] {
  if (isJsonList(value)) return value.flatMap((each, index) => found(each, where, `${path}[${index}]`));
  if (!isJsonMap(value)) return [];
  return Object.entries(value).flatMap(([key, below]) => {
    const here = `${path}.${key}`;
    const own: readonly [string, JsonMap][] = isJsonMap(below) && where(key, below) ? [[here, below]] : [];
    return [...own, ...found(below, where, here)];
  });
}

/** Of the object itself, and of each pod that it makes, however deep. */
function metadataIn(object: JsonMap): readonly [string, JsonMap][] {
  const templates = found(object, (_, map) => isJsonMap(map.spec) && 'containers' in map.spec);
  const own: readonly [string, JsonMap][] = [['', object]];
  return [...own, ...templates].map(([path, holder]) => [`${identityOf(object)}${path}`, holder.metadata as JsonMap]);
}

function selectorsIn(object: JsonMap): readonly [string, JsonMap][] {
  return found(object, (key) => /selector$|^match(Labels|Expressions)$/i.test(key));
}

/** The same object without the keys of the test, and without a map that held nothing else. */
function stripped(object: JsonMap): JsonMap {
  const copy = structuredClone(object) as JsonMap;
  for (const [, metadata] of metadataIn(copy)) {
    for (const [field, added] of [['labels', labels] as const, ['annotations', annotations] as const]) {
      const left = Object.entries(metadata[field] as JsonMap).filter(([key]) => !(key in added));
      const map = metadata as Record<string, Json>;
      if (left.length === 0) delete map[field];
      else map[field] = Object.fromEntries(left);
    }
  }
  return copy;
}

function withCommon(values: JsonMap): JsonMap {
  return {
    ...values,
    commonLabels: { ...(values.commonLabels as JsonMap | undefined), ...labels },
    commonAnnotations: { ...(values.commonAnnotations as JsonMap | undefined), ...annotations },
  };
}

describe.each(cases)('%s with the fixture %s', (chart, name, values) => {
  it('has them on every object and every pod', async () => {
    const objects = await render(chart, withCommon(values));
    for (const [where, metadata] of objects.flatMap(metadataIn)) {
      expect(metadata.labels, where).toMatchObject(labels);
      expect(metadata.annotations, where).toMatchObject(annotations);
    }
    const pods = objects.filter(({ kind }) => kind === 'Deployment').map(metadataIn);
    expect(pods.every((each) => each.length === 2)).toBe(true);
  });

  it('has them in no selector, so that an upgrade may change them', async () => {
    const [before, after] = [await render(chart, values), await render(chart, withCommon(values))];
    expect(after.flatMap(selectorsIn)).toEqual(before.flatMap(selectorsIn));
    expect(after.filter(({ kind }) => kind === 'Deployment').every((each) => selectorsIn(each).length > 0)).toBe(true);
  });

  // The values of that fixture hold some of the keys already.
  if (name !== 'common-metadata') {
    it('differs in nothing else', async () => {
      const before = byIdentity(await render(chart, values));
      expect(byIdentity((await render(chart, withCommon(values))).map(stripped))).toEqual(before);
    });
  }

  it('sets no key itself that a user could set as well', async () => {
    const refusedBy = (field: keyof typeof commonMetadata) => new RegExp(commonMetadata[field].reserved ?? '^$');
    const given = new Set(Object.values(values).flatMap((value) => (isJsonMap(value) ? keysIn(value) : [])));
    const metadata = (await render(chart, values)).flatMap(metadataIn).map(([, each]) => each);
    const free = (field: 'labels' | 'annotations', pattern: RegExp) =>
      metadata
        .flatMap((each) => Object.keys((each[field] ?? {}) as JsonMap))
        .filter((key) => !pattern.test(key) && !given.has(key));
    // The default of dashboard.labels, which is a value and so wins.
    const own = free('labels', refusedBy('commonLabels')).filter((key) => key !== 'grafana_dashboard');
    expect(own).toEqual([]);
    expect(free('annotations', refusedBy('commonAnnotations'))).toEqual([]);
  });
});

function keysIn(map: JsonMap): readonly string[] {
  return Object.entries(map).flatMap(([key, value]) => [key, ...(isJsonMap(value) ? keysIn(value) : [])]);
}

describe('a narrower value', () => {
  it('wins over a common one, though it be empty', async () => {
    const values = {
      governedNamespaces: [{ name: 'agents' }],
      commonLabels: { team: 'everybody', other: 'common' },
      commonAnnotations: { note: 'on everything' },
      podLabels: { team: '' },
      podAnnotations: { note: 'on pods' },
      serviceMonitor: { enabled: true, labels: { team: 'monitoring' } },
      alerts: { enabled: true, labels: { team: 'on-call' } },
      dashboard: { enabled: true, labels: { team: 'dashboards' } },
    };
    const objects = byIdentity(await render('agentplane', values));
    const teams = Object.fromEntries(
      Object.values(objects)
        .flatMap(metadataIn)
        .map(([where, { labels: all }]) => [where, (all as JsonMap).team]),
    );
    expect(teams).toMatchObject({
      'apps/v1 Deployment agentplane-system/agentplane-operator': 'everybody',
      'apps/v1 Deployment agentplane-system/agentplane-operator.spec.template': '',
      'monitoring.coreos.com/v1 ServiceMonitor agentplane-system/agentplane-operator': 'monitoring',
      'monitoring.coreos.com/v1 PrometheusRule agentplane-system/agentplane': 'on-call',
      'v1 ConfigMap agentplane-system/agentplane-dashboard': 'dashboards',
    });
    const deployment = objects['apps/v1 Deployment agentplane-system/agentplane-operator'];
    expect(deployment).toHaveProperty('metadata.annotations', { note: 'on everything' });
    expect(deployment).toHaveProperty('spec.template.metadata.annotations', { note: 'on pods' });
    expect(deployment).toHaveProperty('spec.template.metadata.labels.other', 'common');
  });

  it('wins on a CRD as well', async () => {
    const [crd] = await render('agentplane-crds', { annotations: { note: 'a' }, commonAnnotations: { note: 'b' } });
    expect(crd).toHaveProperty('metadata.annotations', { 'helm.sh/resource-policy': 'keep', note: 'a' });
  });
});
