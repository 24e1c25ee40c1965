/** The dashboard of Grafana, as data: one panel for each question that somebody on call asks, in that order. */
import type { JsonMap } from '../expr/json.ts';

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: 'short' | 's' | 'bytes' | 'reqps';
  /** Of the metrics of the chosen namespace: `$SELECT` stands for its matcher. */
  readonly queries: readonly { readonly expression: string; readonly legend: string }[];
}

const SELECT = 'namespace="$namespace"';

export const PANELS: readonly Panel[] = [
  {
    title: 'Objects by readiness',
    description: 'What Ready says of the newest generation. NotJudged: nothing yet.',
    unit: 'short',
    queries: [{ expression: `max by (kind, ready) (agentplane_objects{${SELECT}})`, legend: '{{kind}} {{ready}}' }],
  },
  {
    title: 'Leaders',
    description: 'One, or nothing new is put in force.',
    unit: 'short',
    queries: [{ expression: `sum(agentplane_leading{${SELECT}})`, legend: 'leaders' }],
  },
  {
    title: 'Changes by others',
    description: 'Of generated objects: restored, accepted by a pause, or contested and left.',
    unit: 'short',
    queries: [
      {
        expression: `sum by (outcome) (increase(agentplane_drift_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{outcome}}',
      },
    ],
  },
  {
    title: 'Runs of the probe',
    description: 'Failed: packets got through that must not, or the other way round.',
    unit: 'short',
    queries: [
      {
        expression: `sum by (outcome) (increase(agentplane_probe_runs_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{outcome}}',
      },
    ],
  },
  {
    title: 'Results of the probe',
    description: 'Capabilities by what the newest run has shown of them.',
    unit: 'short',
    queries: [{ expression: `max by (result) (agentplane_probe_results{${SELECT}})`, legend: '{{result}}' }],
  },
  {
    title: 'Reconciles',
    description: 'How long they take: half of them, and all but one in a hundred.',
    unit: 's',
    queries: ['0.5', '0.99'].map((quantile) => ({
      expression: `histogram_quantile(${quantile}, sum by (le, controller) (rate(agentplane_reconcile_duration_seconds_bucket{${SELECT}}[$__rate_interval])))`,
      legend: `{{controller}} ${quantile}`,
    })),
  },
  {
    title: 'Waiting',
    description: 'Objects that wait for a worker.',
    unit: 'short',
    queries: [{ expression: `sum by (controller) (agentplane_workqueue_depth{${SELECT}})`, legend: '{{controller}}' }],
  },
  {
    title: 'Requests to the API server',
    description: 'By verb and answer. An idle operator renews its Lease, and no more.',
    unit: 'reqps',
    queries: [
      {
        expression: `sum by (verb, code) (rate(agentplane_kube_requests_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{verb}} {{code}}',
      },
    ],
  },
  {
    title: 'Duration of requests',
    description: 'All but one in a hundred.',
    unit: 's',
    queries: [
      {
        expression: `histogram_quantile(0.99, sum by (le, verb) (rate(agentplane_kube_request_duration_seconds_bucket{${SELECT}}[$__rate_interval])))`,
        legend: '{{verb}}',
      },
    ],
  },
  {
    title: 'Lists and watches',
    description: 'Of the caches. A watch that ends is opened again; a list is rare.',
    unit: 'short',
    queries: [
      {
        expression: `sum by (activity) (increase(agentplane_informer_activity_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{activity}}',
      },
    ],
  },
  {
    title: 'Events',
    description: 'Recorded, and those that were not.',
    unit: 'short',
    queries: [
      {
        expression: `sum by (outcome) (increase(agentplane_events_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{outcome}}',
      },
    ],
  },
  {
    title: 'Memory',
    description: 'Of each process.',
    unit: 'bytes',
    queries: [{ expression: `agentplane_process_resident_memory_bytes{${SELECT}}`, legend: '{{pod}}' }],
  },
  {
    title: 'Event loop',
    description: 'How long a process was busy at a stretch: all but one time in a hundred.',
    unit: 's',
    queries: [{ expression: `agentplane_nodejs_eventloop_lag_p99_seconds{${SELECT}}`, legend: '{{pod}}' }],
  },
];

const DATASOURCE: JsonMap = { type: 'prometheus', uid: '$datasource' };
const WIDTH = 12;
const HEIGHT = 8;

/** As Grafana imports it. */
export function dashboard(): JsonMap {
  return {
    uid: 'agentplane',
    title: 'AgentPlane',
    tags: ['agentplane'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        {
          name: 'namespace',
          type: 'query',
          label: 'Install namespace',
          datasource: DATASOURCE,
          query: 'label_values(agentplane_leading, namespace)',
          refresh: 2,
        },
      ],
    },
    panels: PANELS.map(panelOf),
  };
}

function panelOf({ title, description, unit, queries }: Panel, i: number): JsonMap {
  return {
    id: i + 1,
    type: 'timeseries',
    title,
    description,
    datasource: DATASOURCE,
    gridPos: { h: HEIGHT, w: WIDTH, x: (i % 2) * WIDTH, y: Math.floor(i / 2) * HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(({ expression, legend }, n) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + n),
      datasource: DATASOURCE,
      expr: expression,
      legendFormat: legend,
    })),
  };
}
