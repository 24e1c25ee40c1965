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
  const { resourceVersion } = await client.list(EGRESS_POLICIES, { namespace });
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
  stop.abort();
  await watching;
  await client.close();
  return seen;
}
