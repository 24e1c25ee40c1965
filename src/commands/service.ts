/** What every long-running command needs: logs, a client, metrics, probes, and an end that is graceful. */
import type { Client } from '../kube/client.ts';
import { type Clock, type Random, systemClock } from '../kube/clock.ts';
import { createClient } from '../kube/create-client.ts';
import { loadKubeConfig } from '../kube/kube-config.ts';
import type { Logger } from '../kube/logger.ts';
import { type Check, checksRoute, metricsRoute, startHttpServer } from '../runtime/health.ts';
import { createLogger } from '../runtime/logging.ts';
import { createMetrics, type Metrics } from '../runtime/metrics.ts';
import { installShutdown } from '../runtime/shutdown.ts';
import { PRODUCT_VERSION } from '../version.ts';
import type { Flag, FlagValues } from './flags.ts';

export const serviceFlags: readonly Flag[] = [
  { name: 'metrics-port', value: 'PORT', description: 'serves /metrics', default: '8080' },
  { name: 'health-port', value: 'PORT', description: 'serves /healthz and /readyz', default: '8081' },
  { name: 'log-level', value: 'LEVEL', description: 'debug, info, warn or error', default: 'info' },
];

/** Below the 30 seconds that the chart gives a pod to end. */
const GRACE_MS = 20_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface Service {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

export interface Work {
  /** Why the process should be restarted, or not get traffic, when one of them does not hold. */
  readonly live: Readonly<Record<string, Check>>;
  readonly ready: Readonly<Record<string, Check>>;
  /** The exit code. */
  run(): Promise<number>;
}

export async function runService(
  component: string,
  flags: FlagValues,
  start: (service: Service) => Work,
): Promise<number> {
  const clock = systemClock();
  const level = flags.oneOf('log-level', ['debug', 'info', 'warn', 'error']);
  const logger = createLogger({ level, base: { component, version: PRODUCT_VERSION } });
  const metrics = createMetrics({ prefix: 'agentplane_', defaultMetrics: true });
  const shutdown = installShutdown({
    signals: process,
    clock,
    logger,
    graceMs: GRACE_MS,
    exit: (code) => process.exit(code),
  });
  const client = createClient({
    kubeConfig: loadKubeConfig(process.env),
    userAgent: `agentplane-${component}/${PRODUCT_VERSION}`,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    onRequest: metrics.onRequest,
  });
  const work = start({ client, clock, random: Math.random, logger, metrics, signal: shutdown.signal });
  const port = (name: string) => flags.integer(name, { min: 0, max: 65_535 });
  const servers = await Promise.all([
    startHttpServer({
      port: port('health-port'),
      routes: { '/healthz': checksRoute(work.live), '/readyz': checksRoute(work.ready) },
      logger,
    }),
    startHttpServer({ port: port('metrics-port'), routes: { '/metrics': metricsRoute(metrics.registry) }, logger }),
  ]);
  logger.info({ healthPort: servers[0].port, metricsPort: servers[1].port }, 'started');
  try {
    return await work.run();
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await client.close();
    shutdown.dispose();
    logger.info({}, 'stopped');
  }
}
