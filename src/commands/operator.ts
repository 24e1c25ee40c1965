/** `agentplane operator`: compiles policies and keeps them in force, in the governed namespaces, while it holds the lease. */
import { createDriftCounter, createReadinessGauge } from '../controllers/metrics.ts';
import { createOperator, type OperatorSettings } from '../controllers/operator.ts';
import { resourceName } from '../kube/types.ts';
import type { Command } from './command.ts';
import { type Flag, type FlagValues, UsageError } from './flags.ts';
import { runService, serviceFlags } from './service.ts';
import { limitFlags, limitsOf } from './shared-flags.ts';

export const operatorFlags: readonly Flag[] = [
  { name: 'namespaces', value: 'A,B', description: 'the governed namespaces' },
  {
    name: 'install-namespace',
    value: 'NAME',
    description: 'the namespace of the operator itself, for its Lease and the CapabilityReport',
  },
  {
    name: 'identity',
    value: 'NAME',
    description: 'who holds the Lease; unique to the process, such as the name of its pod',
  },
  { name: 'lease', value: 'NAME', description: 'the Lease', default: 'agentplane-operator' },
  { name: 'capability-report', value: 'NAME', description: 'the CapabilityReport', default: 'cluster' },
  {
    name: 'report-max-age-seconds',
    value: 'N',
    description: 'a report older than this is not relied on',
    default: '300',
  },
  { name: 'cilium', value: 'true|false', description: 'whether CiliumNetworkPolicies may be written', default: 'true' },
  {
    name: 'admission',
    value: 'true|false',
    description:
      'whether admission policies hold in the namespaces: then a RuntimeProfile stays until its workloads are gone',
    default: 'false',
  },
  ...limitFlags,
  {
    name: 'secret-retry-seconds',
    value: 'N',
    description: 'a Secret that is missing is looked for again after this long, doubling up to the next',
    default: '15',
  },
  {
    name: 'secret-recheck-seconds',
    value: 'N',
    description: 'a Secret that is there is looked at again after this long',
    default: '300',
  },
  {
    name: 'config-map-retry-seconds',
    value: 'N',
    description: 'a ConfigMap that is not as it should be is looked at again after this long, doubling up to the next',
    default: '15',
  },
  {
    name: 'config-map-recheck-seconds',
    value: 'N',
    description:
      'a ConfigMap that a PolicyBundle reads or has written is looked at again after this long at the latest',
    default: '300',
  },
  { name: 'workers', value: 'N', description: 'policies reconciled at once', default: '4' },
  ...serviceFlags,
];

export function operatorSettings(flags: FlagValues): OperatorSettings {
  const namespaces = flags.list('namespaces');
  if (namespaces.length === 0) throw new UsageError('--namespaces: name at least one governed namespace');
  return {
    namespaces,
    installNamespace: flags.text('install-namespace'),
    identity: flags.text('identity'),
    lease: flags.text('lease'),
    capabilityReport: flags.text('capability-report'),
    reportMaxAgeMs: flags.integer('report-max-age-seconds', { min: 10, max: 86_400 }) * 1000,
    cilium: flags.boolean('cilium'),
    admission: flags.boolean('admission'),
    limits: limitsOf(flags),
    secrets: {
      retryMs: flags.integer('secret-retry-seconds', { min: 1, max: 3600 }) * 1000,
      recheckMs: flags.integer('secret-recheck-seconds', { min: 1, max: 86_400 }) * 1000,
    },
    configMaps: {
      retryMs: flags.integer('config-map-retry-seconds', { min: 1, max: 3600 }) * 1000,
      recheckMs: flags.integer('config-map-recheck-seconds', { min: 1, max: 86_400 }) * 1000,
    },
    workers: flags.integer('workers', { min: 1, max: 64 }),
  };
}

function runOperator(flags: FlagValues): Promise<number> {
  const settings = operatorSettings(flags);
  return runService('operator', flags, ({ client, clock, random, logger, metrics, signal }) => {
    const operator = createOperator(settings, {
      client,
      clock,
      random,
      logger,
      hooks: {
        onInformer: (resource, activity) => metrics.onInformerActivity(resourceName(resource), activity),
        onReconcile: metrics.onReconcile,
        onDepth: metrics.setQueueDepth,
        onEvent: metrics.onEvent,
        onLeading: metrics.setLeading,
        onDrift: createDriftCounter(metrics.registry),
      },
    });
    createReadinessGauge(metrics.registry, operator.governed);
    return {
      // A cache that lost its connection heals itself; a restart would only throw away what is known.
      live: {},
      ready: { 'caches are filled': operator.isReady },
      run: async () => ((await operator.run(signal)) === 'lost' ? 1 : 0),
    };
  });
}

export const operatorCommand: Command = { flags: operatorFlags, run: runOperator };
