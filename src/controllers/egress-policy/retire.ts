/** What is left to do once a policy is going or gone: nothing of it stays in force that nobody answers for. */
import { EgressPolicy } from '../../api/egress-policy.ts';
import { FLOOR_NAME } from '../../api/meta.ts';
import { floorState } from '../../compile/floor.ts';
import type { KubeObject } from '../../kube/types.ts';
import { idOf } from '../identity.ts';
import { clear } from './clear.ts';
import { identityOf, orphanedOutputs, ownOutputs, type WriteContext } from './outputs.ts';
import { readStatus, recordedIn } from './read-status.ts';

/**
 * A policy that is being deleted loses its outputs at once, whatever its finalizers wait for. A deleted one's go by garbage
 * collection, unless it was deleted as an orphaning parent. Both only while the floor stands. Throws what a delete throws.
 */
export async function retire(name: string, context: WriteContext): Promise<void> {
  const { cache } = context;
  const floor = floorState(cache.networkPolicies.get(FLOOR_NAME), cache.namespace, 'account');
  if (!floor.ok) return;
  const policy = cache.policies.get(name);
  const outputs = policy === undefined ? orphans(context) : outputsOf(policy, context);
  const cleared = await clear(outputs, context);
  if (!cleared.ok && cleared.cause !== undefined) throw cleared.cause;
}

function outputsOf(policy: KubeObject, { cache }: WriteContext) {
  const { name, uid = '' } = policy.metadata;
  const owner = { kind: EgressPolicy.kind, namespace: cache.namespace, name, uid, id: idOf(policy) };
  return ownOutputs({ owner, recorded: recordedIn(readStatus(policy.status)) }, cache);
}

function orphans({ cache }: WriteContext) {
  const scope = { kind: EgressPolicy.kind, namespace: cache.namespace };
  return orphanedOutputs(cache, () => cache.policies.list().map((policy) => identityOf(policy, scope)));
}
