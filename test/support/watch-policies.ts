import { EGRESS_POLICIES } from '../../src/controllers/resources.ts';
import { clientFor } from './client.ts';
import type { PolicyObject } from './policies.ts';
import { statesDuring } from './states-during.ts';

/** Everything that the EgressPolicies of the namespace ever were while the work went on. */
export async function policiesDuring(
  kubeconfigPath: string,
  namespace: string,
  work: () => Promise<void>,
): Promise<readonly PolicyObject[]> {
  const client = clientFor(kubeconfigPath);
  try {
    return await statesDuring<PolicyObject>(client, { resource: EGRESS_POLICIES, namespace }, work);
  } finally {
    await client.close();
  }
}
