import { waitUntil } from '../../scripts/lib/wait-for.ts';
import { EGRESS_POLICIES } from '../../src/controllers/resources.ts';
import { clientFor } from './client.ts';
import type { PolicyObject } from './policies.ts';

/** Everything that the EgressPolicies of the namespace ever were while the work went on, from a watch: nothing in between is missed. */
export async function policiesDuring(
  kubeconfigPath: string,
  namespace: string,
  work: () => Promise<void>,
): Promise<readonly PolicyObject[]> {
  const client = clientFor(kubeconfigPath);
  const stop = new AbortController();
  const { resourceVersion, items } = await client.list(EGRESS_POLICIES, { namespace });
  const seen: PolicyObject[] = [];
  const watching = (async () => {
    const events = client.watch(EGRESS_POLICIES, {
      namespace,
      resourceVersion,
      timeoutSeconds: 120,
      idleTimeoutMs: 120_000,
      signal: stop.signal,
    });
    for await (const event of events) if (event.type !== 'BOOKMARK') seen.push(event.object as PolicyObject);
  })().catch(() => undefined);
  await work();
  // Whoever asks sees a change before a watch does.
  const states = new Set(items.map((each) => each.metadata.resourceVersion));
  const last = (await client.list(EGRESS_POLICIES, { namespace })).items.filter(
    ({ metadata }) => !states.has(metadata.resourceVersion),
  );
  await waitUntil('the watch to catch up', { timeoutMs: 20_000, intervalMs: 20 }, async () =>
    last.every(({ metadata }) => seen.some((each) => each.metadata.resourceVersion === metadata.resourceVersion)),
  );
  stop.abort();
  await watching;
  await client.close();
  return seen;
}
