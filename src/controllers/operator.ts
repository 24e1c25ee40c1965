/** Puts the controllers together: the lease, caches at the latest when somebody else has it, and work for as long as it is held. */
import { factsOf } from '../compile/facts.ts';
import type { Limits } from '../compile/validate.ts';
import type { Client } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { createInformer, type InformerActivity } from '../kube/informer.ts';
import { createElector, type Elector } from '../kube/lease.ts';
import type { Logger } from '../kube/logger.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import { type Controller, createController, type Reconcile, type ReconcileObservation } from '../runtime/controller.ts';
import type { EventOutcome } from '../runtime/events.ts';
import { WorkQueue } from '../runtime/workqueue.ts';
import { createAnnouncer } from './announce.ts';
import { wireBundles } from './bundle-triggers.ts';
import { type Currency, createCurrency } from './currency.ts';
import { createDecisions, type Decisions } from './decisions.ts';
import { createFights } from './egress-policy/fights.ts';
import type { DriftOutcome } from './egress-policy/publish.ts';
import { reconcileEgressPolicy } from './egress-policy/reconcile.ts';
import { createRejections } from './egress-policy/rejections.ts';
import { profileOf, worldOf } from './exclusive.ts';
import { createExclusiveWatches, type ExclusiveWatches } from './exclusive-watch.ts';
import { fencedClient } from './fenced-client.ts';
import { type InformerFactory, informersOf, type NamespaceCache } from './namespace-cache.ts';
import { completeCache, createCaching, createOperatorView, type OperatorView, renewView } from './operator-view.ts';
import type { LookTiming as ConfigMapTiming } from './policy-bundle/memory.ts';
import { createBundleMemories, reconcilePolicyBundle } from './policy-bundle/reconcile.ts';
import { followComplete, isComplete } from './readiness.ts';
import { createReportWatch, type ReportWatch } from './report-watch.ts';
import { OPERATOR_MANAGER } from './resources.ts';
import { reconcileRuntimeProfile } from './runtime-profile/reconcile.ts';
import { createLooks, type LookTiming } from './secret-binding/looks.ts';
import { reconcileSecretBinding } from './secret-binding/reconcile.ts';
import { unownedOutputs, wireTriggers } from './triggers.ts';

/** Pods come in swarms; their number is written once they have settled. */
const POD_SETTLE_MS = 15_000;
/** The bindings of a profile come together, and are told to the API server together. */
const BINDING_SETTLE_MS = 200;

export interface OperatorSettings {
  readonly namespaces: readonly string[];
  readonly installNamespace: string;
  readonly identity: string;
  readonly lease: string;
  readonly capabilityReport: string;
  readonly reportMaxAgeMs: number;
  readonly cilium: boolean;
  /** Whether admission policies hold in the governed namespaces. */
  readonly admission: boolean;
  readonly limits: Limits;
  readonly secrets: LookTiming;
  readonly configMaps: ConfigMapTiming;
  readonly workers: number;
}

/** For metrics. Every label is from a closed set. */
export interface OperatorHooks {
  readonly onInformer: (resource: Resource, activity: InformerActivity) => void;
  readonly onReconcile: (observation: ReconcileObservation) => void;
  readonly onDepth: (controller: string, depth: number) => void;
  readonly onEvent: (outcome: EventOutcome) => void;
  readonly onLeading: (leading: boolean) => void;
  readonly onDrift: (outcome: DriftOutcome) => void;
}

export interface OperatorParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly hooks: OperatorHooks;
}

export interface Operator {
  /** Something can be done: at least one governed namespace is known. One that is not must not take the others with it. */
  isReady(): boolean;
  /** Every object of our kinds in the governed namespaces, as it is known now, by its kind. */
  governed(): readonly (readonly [kind: string, object: KubeObject])[];
  /** Until the signal is aborted. `lost`: the lease was lost, and the process must exit. */
  run(signal: AbortSignal): Promise<'stopped' | 'lost'>;
}

interface Queues {
  readonly policies: WorkQueue;
  readonly profiles: WorkQueue;
  readonly bindings: WorkQueue;
  readonly bundles: WorkQueue;
}

export function createOperator(settings: OperatorSettings, parts: OperatorParts): Operator {
  const view = createOperatorView(settings, informerFactory(parts));
  const queues = createQueues(parts);
  const elector = createLease(settings, parts);
  const caches = [...view.caches.values()];
  const addAll = () => {
    for (const cache of caches) enqueue(cache, queues);
  };
  const watch = createReportWatch({
    informer: view.reports,
    name: settings.capabilityReport,
    maxAgeMs: settings.reportMaxAgeMs,
    clock: parts.clock,
    onNews: addAll,
  });
  const informers = [...caches.flatMap(informersOf), view.reports];
  const currency = createCurrency(informers, parts.clock);
  const others = followOthers(caches, watch, { queues, clock: parts.clock });
  const viewOf = (cache: NamespaceCache) => ({ ...view, cache, isCurrent: currency.isCurrent });
  const controllers = createControllers(settings, parts, { view, queues, elector, watch, currency, ...others });
  for (const cache of caches) wire(cache, queues);

  return {
    governed: () =>
      caches.flatMap(({ profiles, policies, bindings, bundles }) =>
        [profiles, policies, bindings, bundles].flatMap((informer) =>
          informer.list().map((object) => [informer.resource.kind, object] as const),
        ),
      ),
    isReady: () => caches.some((cache) => isComplete({ ...viewOf(cache), sinceMs: Number.NEGATIVE_INFINITY })),
    async run(signal) {
      const caching = createCaching(informers, signal);
      const election = elector.run(signal, {
        onWaiting: caching.start,
        async onStartedLeading(leading, othersUntilMs) {
          await renewView(view, informers, { clock: parts.clock, signal: leading, sinceMs: othersUntilMs });
          caching.start();
          parts.hooks.onLeading(true);
          const complete = caches.map((cache) => {
            const missed = () => view.missed.delete(cache.namespace);
            const options = { clock: parts.clock, signal: leading, view: () => viewOf(cache), missed };
            return followComplete(options, () => enqueue(cache, queues));
          });
          const currencies = currency.follow(leading, ({ namespace }) => {
            for (const cache of caches) if (cache.namespace === namespace) enqueue(cache, queues);
          });
          await Promise.all([...controllers.map((item) => item.run(leading)), ...complete, currencies]);
        },
        onStoppedLeading: () => parts.hooks.onLeading(false),
      });
      try {
        return await election;
      } finally {
        watch.stop();
        await caching.end();
      }
    },
  };
}

function createQueues({ clock, random, hooks }: OperatorParts): Queues {
  const queue = (name: string) => new WorkQueue({ clock, random, onDepth: (depth) => hooks.onDepth(name, depth) });
  return {
    policies: queue('egresspolicy'),
    profiles: queue('runtimeprofile'),
    bindings: queue('secretbinding'),
    bundles: queue('policybundle'),
  };
}

function createLease(settings: OperatorSettings, { client, clock, random, logger }: OperatorParts): Elector {
  const { installNamespace: namespace, lease: name, identity } = settings;
  return createElector({ client, namespace, name, identity, fieldManager: OPERATOR_MANAGER, clock, random, logger });
}

function followOthers(
  caches: readonly NamespaceCache[],
  watch: ReportWatch,
  { queues, clock }: { readonly queues: Queues; readonly clock: Clock },
): Pick<Wiring, 'decisions' | 'exclusive'> {
  const decisions = createDecisions();
  const world = () => worldOf(factsOf(watch.current(), watch.isFresh));
  const exclusive = createExclusiveWatches({ caches, world, clock, decisions }, (key) => queues.policies.add(key));
  return { decisions, exclusive };
}

interface Wiring {
  readonly view: OperatorView;
  readonly queues: Queues;
  readonly elector: Elector;
  readonly watch: ReportWatch;
  readonly currency: Currency;
  readonly decisions: Decisions;
  readonly exclusive: ExclusiveWatches;
}

function createControllers(settings: OperatorSettings, parts: OperatorParts, wiring: Wiring): readonly Controller[] {
  const { clock, random, logger, hooks } = parts;
  const { view, queues, watch } = wiring;
  const client = fencedClient(parts.client, wiring.elector);
  const context = {
    client,
    cacheOf: (namespace: string) => completeCache(view, wiring.currency, namespace),
    report: watch.current,
    isFresh: watch.isFresh,
    isCurrent: wiring.currency.isCurrent,
    limits: settings.limits,
    clock,
    rejections: createRejections(clock),
    fights: createFights(clock),
    decisions: wiring.decisions,
    exclusive: wiring.exclusive,
    looks: createLooks(client, clock, settings.secrets),
    bundles: createBundleMemories({ clock, random, timing: settings.configMaps }),
    onDrift: hooks.onDrift,
    holdsProfiles: settings.admission,
    announce: createAnnouncer({ ...parts, client }, settings.identity),
  };
  const controller = (name: string, queue: WorkQueue, reconcile: Reconcile) =>
    createController({
      name,
      queue,
      reconcile,
      workers: settings.workers,
      clock,
      random,
      logger,
      onReconcile: hooks.onReconcile,
    });
  return [
    controller('egresspolicy', queues.policies, (key, signal) => reconcileEgressPolicy(key, signal, context)),
    controller('runtimeprofile', queues.profiles, (key, signal) => reconcileRuntimeProfile(key, signal, context)),
    controller('secretbinding', queues.bindings, (key, signal) => reconcileSecretBinding(key, signal, context)),
    controller('policybundle', queues.bundles, (key, signal) => reconcilePolicyBundle(key, signal, context)),
  ];
}

function enqueue(cache: NamespaceCache, queues: Queues): void {
  const { namespace, profiles, policies, bindings, bundles } = cache;
  for (const { metadata } of profiles.list()) queues.profiles.add({ namespace, name: metadata.name });
  for (const { metadata } of policies.list()) queues.policies.add({ namespace, name: metadata.name });
  for (const { metadata } of bindings.list()) queues.bindings.add({ namespace, name: metadata.name });
  for (const { metadata } of bundles.list()) queues.bundles.add({ namespace, name: metadata.name });
  for (const { name } of unownedOutputs(cache)) queues.policies.add({ namespace, name });
}

function wire(cache: NamespaceCache, queues: Queues): void {
  const { policies, bindings, bundles } = queues;
  const dependents = [
    [cache.policies, policies],
    [cache.bindings, bindings],
    [cache.bundles, bundles],
  ] as const;
  wireTriggers(cache, {
    policy: (namespace, name) => queues.policies.add({ namespace, name }),
    profile: (namespace, name) => queues.profiles.add({ namespace, name }),
    binding: (namespace, name) => queues.bindings.add({ namespace, name }),
    policyLater: (namespace, name) => queues.policies.addAfter({ namespace, name }, POD_SETTLE_MS),
    profileFirst: (namespace, name) => queues.profiles.addFirst({ namespace, name }),
    profileSoon: (namespace, name) => queues.profiles.addAfter({ namespace, name }, BINDING_SETTLE_MS),
    profileLater: (namespace, name) => queues.profiles.addAfter({ namespace, name }, POD_SETTLE_MS),
    dependents: (namespace, profile) => {
      for (const [informer, queue] of dependents) {
        for (const object of informer.list()) {
          if (profileOf(object) === profile) queue.add({ namespace, name: object.metadata.name });
        }
      }
    },
  });
  wireBundles(cache, {
    bundle: (namespace, name) => queues.bundles.add({ namespace, name }),
    bundleLater: (namespace, name) => queues.bundles.addAfter({ namespace, name }, POD_SETTLE_MS),
  });
}

function informerFactory({ client, clock, random, logger, hooks }: OperatorParts): InformerFactory {
  return (resource, namespace, transform) =>
    createInformer({
      client,
      resource,
      namespace,
      clock,
      random,
      logger,
      transform,
      onActivity: (activity) => hooks.onInformer(resource, activity),
    });
}
