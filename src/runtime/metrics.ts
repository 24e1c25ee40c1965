import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { INFORMER_ACTIVITIES, type InformerActivity } from '../kube/informer.ts';
import type { RequestObservation } from '../kube/transport.ts';
import type { ReconcileObservation } from './controller.ts';
import { EVENT_OUTCOMES, type EventOutcome } from './events.ts';
import { createOutcomeCounter } from './outcome-counter.ts';

export interface MetricsOptions {
  /** Before every name, for example `example_`. */
  readonly prefix: string;
  /** Process and event-loop metrics of Node; off in tests. */
  readonly defaultMetrics: boolean;
}

/** The hooks of the other parts of this folder, and the registry for a program's own metrics. */
export interface Metrics {
  readonly registry: Registry;
  onRequest(observation: RequestObservation): void;
  onReconcile(observation: ReconcileObservation): void;
  onEvent(outcome: EventOutcome): void;
  onInformerActivity(resource: string, activity: InformerActivity): void;
  setQueueDepth(controller: string, depth: number): void;
  setLeading(leading: boolean): void;
}

const LATENCY_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Metrics in a registry of their own. Every label has a closed set of values (verbs, resources and controllers of the program, outcomes):
 * a name, a namespace or an error text as a label would let tenants create time series, and shows object names to whoever may scrape.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  if (options.defaultMetrics) {
    collectDefaultMetrics({ register: registry, prefix: options.prefix });
  }
  return { registry, ...clientMetrics(registry, options.prefix), ...controllerMetrics(registry, options.prefix) };
}

function clientMetrics(
  registry: Registry,
  prefix: string,
): Pick<Metrics, 'onRequest' | 'onInformerActivity' | 'onEvent'> {
  const registers = [registry];
  const requests = new Counter({
    name: `${prefix}kube_requests_total`,
    help: 'Calls to the API server, by HTTP status or the reason of an error without one.',
    labelNames: ['verb', 'resource', 'code'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: `${prefix}kube_request_duration_seconds`,
    help: 'Duration of calls to the API server; for a watch until it is open.',
    labelNames: ['verb', 'resource'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers,
  });
  const informer = new Counter({
    name: `${prefix}informer_activity_total`,
    help: 'Lists, watches, failures and handler errors of the informers.',
    labelNames: ['resource', 'activity'],
    registers,
  });
  const onEvent = createOutcomeCounter({
    name: `${prefix}events_total`,
    help: 'Events recorded, and those that were not.',
    outcomes: EVENT_OUTCOMES,
    registry,
  });
  return {
    onRequest: ({ verb, resource, code, seconds }) => {
      requests.inc({ verb, resource, code });
      requestSeconds.observe({ verb, resource }, seconds);
    },
    onInformerActivity: (resource, activity) => {
      // The resources are those of the program, and known only now: its first list brings the rest, each with 0.
      for (const each of INFORMER_ACTIVITIES) informer.inc({ resource, activity: each }, 0);
      informer.inc({ resource, activity });
    },
    onEvent,
  };
}

function controllerMetrics(
  registry: Registry,
  prefix: string,
): Pick<Metrics, 'onReconcile' | 'setQueueDepth' | 'setLeading'> {
  const registers = [registry];
  const reconciles = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: 'Duration of reconciles, by outcome.',
    labelNames: ['controller', 'outcome'],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers,
  });
  const depth = new Gauge({
    name: `${prefix}workqueue_depth`,
    help: 'Keys that wait for a worker.',
    labelNames: ['controller'],
    registers,
  });
  const leading = new Gauge({ name: `${prefix}leading`, help: '1 while this process leads.', registers });
  return {
    onReconcile: ({ controller, outcome, seconds }) => reconciles.observe({ controller, outcome }, seconds),
    setQueueDepth: (controller, value) => depth.set({ controller }, value),
    setLeading: (value) => leading.set(value ? 1 : 0),
  };
}
