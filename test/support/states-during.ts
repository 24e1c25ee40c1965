import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { Client } from '../../src/kube/client.ts';
import type { KubeObject, Resource } from '../../src/kube/types.ts';

/** Everything that the objects of the namespace ever were while the work went on, from a watch: nothing in between is missed. */
export async function statesDuring<T extends KubeObject>(
  client: Client,
  { resource, namespace }: { readonly resource: Resource; readonly namespace: string },
  work: () => Promise<void>,
): Promise<readonly T[]> {
  const stop = new AbortController();
  const { resourceVersion, items } = await client.list(resource, { namespace });
  const seen: KubeObject[] = [];
  const watching = (async () => {
    const options = { namespace, resourceVersion, timeoutSeconds: 120, idleTimeoutMs: 120_000, signal: stop.signal };
    for await (const event of client.watch(resource, options)) if (event.type !== 'BOOKMARK') seen.push(event.object);
  })().catch(() => undefined);
  await work();
  // Whoever asks sees a change before a watch does.
  const states = new Set(items.map((each) => each.metadata.resourceVersion));
  const last = (await client.list(resource, { namespace })).items.filter(
    ({ metadata }) => !states.has(metadata.resourceVersion),
  );
  await waitUntil('the watch to catch up', { timeoutMs: 20_000, intervalMs: 20 }, async () =>
    last.every(({ metadata }) => seen.some((each) => each.metadata.resourceVersion === metadata.resourceVersion)),
  );
  stop.abort();
  await watching;
  return seen as T[];
}
