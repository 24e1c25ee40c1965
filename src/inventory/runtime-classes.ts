/** Whether the RuntimeClasses exist that profiles may name. By name only: they cannot be listed without seeing all of them. */
import type { CapabilityReportStatus, RuntimeClassState } from '../api/capability-report.ts';
import { compareText } from '../compile/canonical.ts';
import type { Client } from '../kube/client.ts';
import { isKubeError } from '../kube/errors.ts';
import type { Resource } from '../kube/types.ts';

const RUNTIME_CLASSES: Resource = {
  group: 'node.k8s.io',
  version: 'v1',
  plural: 'runtimeclasses',
  kind: 'RuntimeClass',
};

export type RuntimeClasses = NonNullable<CapabilityReportStatus['runtimeClasses']>;

/** Throws what leaves open what is there: then nothing is published. */
export async function observeRuntimeClasses(
  names: readonly string[],
  client: Pick<Client, 'getMetadata'>,
  signal: AbortSignal,
): Promise<RuntimeClasses> {
  const sorted = [...new Set(names)].sort(compareText);
  return Promise.all(sorted.map(async (name) => ({ name, state: await stateOf(name, client, signal) })));
}

async function stateOf(
  name: string,
  client: Pick<Client, 'getMetadata'>,
  signal: AbortSignal,
): Promise<RuntimeClassState> {
  try {
    await client.getMetadata(RUNTIME_CLASSES, { name }, { signal });
    return 'Present';
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return 'Missing';
    if (isKubeError(error, 'Forbidden')) return 'NotReadable';
    throw error;
  }
}
