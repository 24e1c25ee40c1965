/** The loop: look, compare, and publish when something changed, or when the report would otherwise grow old. */
import type { ProviderName } from '../api/capability.ts';
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import type { Client } from '../kube/client.ts';
import { type Clock, pause } from '../kube/clock.ts';
import { isKubeError } from '../kube/errors.ts';
import type { Logger } from '../kube/logger.ts';
import type { ApiSchemas } from './api-schemas.ts';
import { observe } from './observe.ts';
import { publish, saysTheSame } from './publish.ts';
import { reportOf } from './report.ts';
import { observeRuntimeClasses } from './runtime-classes.ts';

/** A fifth of the operator's default limit, so that several heartbeats may fail before the report counts as stale. */
export const HEARTBEAT_MS = 60_000;
/** After a failure the next look comes sooner, but not at once. */
const RETRY_MS = 5_000;

export interface InventorySettings {
  readonly namespace: string;
  readonly report: string;
  readonly systemNamespace: string;
  readonly intervalMs: number;
  readonly pin: ProviderName | 'auto';
  readonly dns: { readonly namespace: string; readonly podLabels: Readonly<Record<string, string>> };
  readonly apiServerAddresses: readonly string[];
  readonly apiServerPort: number;
  /** Names to look for. */
  readonly runtimeClasses: readonly string[];
}

export interface InventoryParts {
  readonly client: Pick<Client, 'get' | 'getMetadata' | 'getJson' | 'apply' | 'create'>;
  readonly schemas: ApiSchemas;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Inventory {
  hasPublished(): boolean;
  /** Until the signal is aborted. Never rejects: what cannot be seen now is looked at again. */
  run(signal: AbortSignal): Promise<void>;
}

interface Published {
  readonly status: CapabilityReportStatus;
  readonly atMs: number;
}

export function createInventory(settings: InventorySettings, parts: InventoryParts): Inventory {
  const { clock, logger } = parts;
  let published: Published | undefined;

  const look = async (signal: AbortSignal): Promise<void> => {
    const status = await currentStatus(settings, parts, signal);
    const nowMs = clock.monotonicMs();
    const due = published === undefined || nowMs - published.atMs >= HEARTBEAT_MS;
    if (!due && saysTheSame(published?.status, status)) return;
    const { client } = parts;
    if (!saysTheSame(published?.status, status))
      logger.info({ provider: status.provider }, 'the capabilities of the cluster changed');
    await publish({ client, namespace: settings.namespace, name: settings.report, status, signal });
    published = { status, atMs: nowMs };
  };

  return {
    hasPublished: () => published !== undefined,
    async run(signal) {
      while (!signal.aborted) {
        let waitMs = settings.intervalMs;
        try {
          await look(signal);
        } catch (error) {
          if (signal.aborted) return;
          logger.warn(
            {
              reason: isKubeError(error) ? error.reason : 'Unknown',
              message: error instanceof Error ? error.message : String(error),
            },
            'could not look or publish, trying again',
          );
          waitMs = Math.min(waitMs, RETRY_MS);
        }
        await pause(clock, waitMs, signal);
      }
    },
  };
}

async function currentStatus(
  settings: InventorySettings,
  parts: InventoryParts,
  signal: AbortSignal,
): Promise<CapabilityReportStatus> {
  const { client, schemas, clock } = parts;
  const { systemNamespace, pin, apiServerAddresses, dns, apiServerPort } = settings;
  const resolverLabels = Object.keys(dns.podLabels);
  const seen = await observe({ client, schemas, systemNamespace, pin, apiServerAddresses, resolverLabels, signal });
  const kubernetesVersion = versionOf(await client.getJson('/version', { signal }));
  const runtimeClasses = await observeRuntimeClasses(settings.runtimeClasses, client, signal);
  return reportOf({ seen, runtimeClasses, settings: { dns, apiServerPort }, kubernetesVersion, now: clock.now() });
}

/** Some distributions append a plus sign to the minor version. */
function versionOf(answer: unknown): string {
  const { major, minor } = (answer ?? {}) as { readonly major?: unknown; readonly minor?: unknown };
  return `${String(major)}.${String(minor).replace(/[^0-9].*$/, '')}`;
}
