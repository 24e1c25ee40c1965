/** The inventory in the process of a test, with its own identity and rights: a pin is changed without a new process. */
import type { EmbeddedControlPlane } from '../../../scripts/clusters/embedded/control-plane.ts';
import { waitUntil } from '../../../scripts/lib/wait-for.ts';
import type { ProviderName } from '../../../src/api/capability.ts';
import { createApiSchemas } from '../../../src/inventory/api-schemas.ts';
import { createInventory } from '../../../src/inventory/inventory.ts';
import { systemClock } from '../../../src/kube/clock.ts';
import { createLogger } from '../../../src/runtime/logging.ts';
import { clientFor } from '../../support/client.ts';
import { INSTALL_NAMESPACE } from './installation.ts';

export interface RunningInventory {
  /** Until it has written its first report. */
  published(): Promise<void>;
  stop(): Promise<void>;
}

export async function runInventory(
  controlPlane: EmbeddedControlPlane,
  { pin, intervalMs }: { readonly pin: ProviderName | 'auto'; readonly intervalMs: number },
): Promise<RunningInventory> {
  const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: 'agentplane-inventory' } as const;
  const client = clientFor(await controlPlane.kubeconfigFor(account));
  const settings = {
    namespace: INSTALL_NAMESPACE,
    report: 'cluster',
    systemNamespace: 'kube-system',
    intervalMs,
    pin,
    dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
    apiServerAddresses: [],
    apiServerPort: 6443,
    runtimeClasses: [],
  };
  const parts = {
    client,
    schemas: createApiSchemas(client),
    clock: systemClock(),
    logger: createLogger({ level: 'silent' }),
  };
  const ended = new AbortController();
  const inventory = createInventory(settings, parts);
  const running = inventory.run(ended.signal);
  return {
    published: () =>
      waitUntil('the first report', { timeoutMs: 10_000, intervalMs: 20 }, async () => inventory.hasPublished()),
    stop: async () => {
      ended.abort();
      await running;
      await client.close();
    },
  };
}
