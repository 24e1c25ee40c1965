/** Alerts and dashboard: what they ask for exists, in the language of Prometheus, and everything that exists is shown. */
import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { parser } from '@prometheus-io/lezer-promql';
import type { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { runtimeClassesRead } from '../../rbac/cluster-rules.ts';
import { inventoryInstall, inventorySystem, type Rule } from '../../rbac/rules.ts';
import { createDriftCounter, createReadinessGauge } from '../../src/controllers/metrics.ts';
import { createResultsGauge, createRunCounter } from '../../src/probe/metrics.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { chartFolder, helmTemplate, objectsOf } from './support/helm.ts';
import { metadataOf } from './support/objects.ts';
import { judgeStrictly } from './support/strict-models.ts';
import { chartTools } from './support/tools.ts';

const release = { name: 'agentplane', namespace: 'agentplane-system' };
const VALUES = {
  governedNamespaces: [{ name: 'agents' }],
  serviceMonitor: { enabled: true },
  alerts: { enabled: true },
  dashboard: { enabled: true },
  probe: { enabled: true, namespace: 'canaries' },
};
const objects = await render(VALUES);
const own = await ownMetrics();
const alerts = rulesOf(objects);
const targets = targetsOf(objects);

async function render(values: JsonMap): Promise<readonly JsonMap[]> {
  return objectsOf(await helmTemplate(chartTools().helm3, chartFolder('agentplane'), values, release));
}

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

function rulesOf(found: readonly JsonMap[]): readonly AlertRule[] {
  const rules = found.filter(({ kind }) => kind === 'PrometheusRule');
  return rules.flatMap(({ spec }) =>
    (spec as unknown as { groups: { rules: AlertRule[] }[] }).groups.flatMap((group) => group.rules),
  );
}

function targetsOf(found: readonly JsonMap[]): readonly { readonly expr: string; readonly legendFormat: string }[] {
  const maps = found.filter(({ kind }) => kind === 'ConfigMap') as unknown as { data: Record<string, string> }[];
  const panels = maps.flatMap(
    ({ data }) => (JSON.parse(data['agentplane.json'] ?? '{}') as { panels: JsonMap[] }).panels,
  );
  return panels.flatMap((panel) => panel.targets as unknown as { expr: string; legendFormat: string }[]);
}

interface OwnMetrics {
  /** Name without the suffix of a series, to its labels. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  /** Of programs that have done nothing yet. */
  readonly text: string;
}

/** Those of the three programs. */
async function ownMetrics(): Promise<OwnMetrics> {
  const { registry } = createMetrics({ prefix: 'agentplane_', defaultMetrics: true });
  createDriftCounter(registry);
  createReadinessGauge(registry, () => []);
  createRunCounter(registry);
  createResultsGauge(registry);
  const registries = registry as Registry & { _metrics: Record<string, { labelNames: readonly string[] }> };
  const found = await registry.getMetricsAsJSON();
  const labels = new Map(found.map(({ name }) => [name, registries._metrics[name]?.labelNames ?? []]));
  return { labels, text: await registry.metrics() };
}

/** Names of the metrics in an expression of PromQL. @throws Error when it is none */
function metricsIn(expression: string): readonly string[] {
  // What Grafana puts in before it asks.
  const text = expression.replaceAll('$__rate_interval', '5m');
  const names: string[] = [];
  parser.parse(text).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector')
        names.push(text.slice(node.from, node.to));
    },
  });
  return names;
}

/** A resource as the label of a request names it. */
function labelOf({ apiGroup, resource }: Pick<Rule, 'apiGroup' | 'resource'>): string {
  return apiGroup === '' ? resource : resource.replace(/^[^/]+/, (plural) => `${plural}.${apiGroup}`);
}

const seriesOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

describe('the alerts', () => {
  it.each(alerts.map((rule) => [rule.alert, rule] as const))('%s asks for what exists, in this install', (_, rule) => {
    const names = metricsIn(rule.expr);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect([...own.labels.keys()]).toContain(seriesOf(name));
    expect(rule.expr.match(/namespace="agentplane-system"/g)).toHaveLength(names.length);
    // Labels that a text names are labels that the result has.
    const used = [...JSON.stringify(rule.annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const grouped = [...rule.expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    for (const label of used) expect(grouped).toContain(label);
  });

  it('that wait for an outcome see the first: its series is there from the start', () => {
    const awaited = alerts.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)\{[^}]*(outcome="\w+")/g)]);
    expect(awaited.length).toBeGreaterThan(0);
    for (const [, name, outcome] of awaited) expect(own.text).toContain(`${name}{${outcome}} 0\n`);
  });

  it('of a missing right leave out what the inventory may read only where agentplane-cluster lists the install', () => {
    const { expr = '', annotations } = alerts.find(({ alert }) => alert === 'AgentPlaneForbidden') ?? {};
    // The name of the Service that is scraped is the label `job`.
    const job = inventoryInstall.identity;
    expect(objects.filter(({ kind }) => kind === 'Service').map((object) => metadataOf(object).name)).toContain(job);
    const [others, inventory] = [...expr.matchAll(/\{([^}]*)\}/g)].map(([, matchers = '']) => matchers);
    expect(others).toContain(`job!="${job}"`);
    expect(inventory).toContain(`job="${job}"`);
    const pattern = new RegExp(`^(${/resource=~"([^"]*)"/.exec(inventory ?? '')?.[1]})$`);
    const counted = (rule: Pick<Rule, 'apiGroup' | 'resource'>) => pattern.test(labelOf(rule));
    expect(inventoryInstall.rules.map(counted)).toEqual(inventoryInstall.rules.map(() => true));
    const granted = [...inventorySystem.rules, runtimeClassesRead.rule];
    expect(granted.map(counted)).toEqual(granted.map(() => false));
    expect(annotations?.description).toContain('agentplane-cluster');
  });

  it('are what the Prometheus Operator takes, with the monitors that they need', () => {
    for (const object of objects.filter(({ kind }) => kind === 'PrometheusRule'))
      new PrometheusRule(object as never).validate();
    for (const object of objects.filter(({ kind }) => kind === 'ServiceMonitor'))
      new ServiceMonitor(object as never).validate();
    const models = objects.filter(({ kind }) => kind === 'PrometheusRule' || kind === 'ServiceMonitor');
    const module = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
    // The schemas let unknown fields pass.
    const judged = judgeStrictly(models.map((object) => ({ model: { kind: String(object.kind), module }, object })));
    expect(judged).toEqual(models.map(() => []));
    expect(() => new PrometheusRule({ metadata: {}, spec: { groups: [{ name: 5 }] } } as never).validate()).toThrow();
    expect(alerts.length).toBeGreaterThan(5);
  });

  it.each([
    ['the inventory alone', { governedNamespaces: [], probe: { enabled: false } }, ['AgentPlaneForbidden']],
    ['a probe without operator', { governedNamespaces: [] }, ['AgentPlaneForbidden', 'AgentPlaneProbeFailed']],
    ['everything', {}, alerts.map(({ alert }) => alert)],
  ])('are about what runs: %s', async (_, values, expected) => {
    expect(rulesOf(await render({ ...VALUES, ...values })).map(({ alert }) => alert)).toEqual(expected);
  });

  it('are refused without anybody who scrapes', async () => {
    const unwatched = { ...VALUES, serviceMonitor: { enabled: false } };
    const { text, error } = await helmTemplate(chartTools().helm3, chartFolder('agentplane'), unwatched, release);
    expect(text).toBeUndefined();
    expect(error).toContain('alerts.enabled: the alerts would wait for metrics that nobody scrapes');
  });

  it('and a mistake in one is found', () => {
    expect(() => metricsIn('sum by (kind (agentplane_objects)')).toThrow('no PromQL');
    expect(metricsIn('sum(rate(agentplane_drift_total{a="b"}[5m]))')).toEqual(['agentplane_drift_total']);
  });
});

describe('the dashboard', () => {
  it('asks for what exists, of the chosen install, and names labels that the answer has', () => {
    for (const { expr, legendFormat } of targets) {
      const names = metricsIn(expr);
      for (const name of names) expect([...own.labels.keys()]).toContain(seriesOf(name));
      expect(expr).toContain('namespace="$namespace"');
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([...grouped, 'pod']).toContain(label);
    }
  });

  it('shows every metric of our own', () => {
    const shown = new Set(targets.flatMap(({ expr }) => metricsIn(expr)).map(seriesOf));
    // What Node and the process say of themselves is more than anybody looks at.
    const ours = [...own.labels.keys()].filter((name) => !/^agentplane_(process|nodejs)_/.test(name));
    expect(ours.length).toBeGreaterThan(8);
    for (const name of ours) expect(shown).toContain(name);
  });
});
