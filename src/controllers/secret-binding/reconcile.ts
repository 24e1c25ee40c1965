/** One SecretBinding: load, look at the metadata of its Secret, judge, and ONE status write, skipped when nothing changed. */
import { SecretBinding } from '../../api/secret-binding.ts';
import type { Client } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Informer } from '../../kube/informer.ts';
import type { ReconcileResult } from '../../runtime/controller.ts';
import type { QueueKey } from '../../runtime/fair-queue.ts';
import type { Announce } from '../announce.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { publishStatus } from '../publish-status.ts';
import { judgeAccepted, judgeBinding } from './judge.ts';
import { type LoadedBinding, loadBinding } from './load.ts';
import type { Looks, Seen } from './looks.ts';
import { observedOf } from './secret-keys.ts';
import { bindingStatusOf } from './status.ts';

export interface SecretBindingContext {
  readonly client: Client;
  readonly cacheOf: (namespace: string) => NamespaceCache | undefined;
  readonly isCurrent: (informer: Informer) => boolean;
  readonly clock: Clock;
  readonly looks: Looks;
  readonly announce: Announce;
}

export async function reconcileSecretBinding(
  key: QueueKey,
  signal: AbortSignal,
  context: SecretBindingContext,
): Promise<ReconcileResult> {
  const cache = context.cacheOf(key.namespace);
  if (cache === undefined) return {};
  const loaded = loadBinding(key.name, cache, context.isCurrent);
  if (loaded === undefined) {
    context.looks.forget(key);
    return {};
  }
  const seen = await look(key, loaded, { looks: context.looks, signal });
  const status = bindingStatusOf(loaded, judgeBinding(loaded, seen?.look), context.clock.now());
  const publication = { kind: SecretBinding, object: loaded.binding, status, signal };
  await publishStatus(publication, { ...context, informer: cache.bindings });
  return seen === undefined ? {} : { requeueAfterMs: seen.nextInMs };
}

/** What is refused needs no look: nothing rests on it. */
async function look(
  key: QueueKey,
  loaded: LoadedBinding,
  { looks, signal }: { readonly looks: Looks; readonly signal: AbortSignal },
): Promise<Seen | undefined> {
  const { spec, uid, generation, previousStatus } = loaded;
  if (!spec.ok || judgeAccepted(loaded).status !== 'True') return undefined;
  const { secretRef, keys } = spec.value;
  const binding = { ...key, uid, generation };
  const { secret: known, observedGeneration } = previousStatus;
  const wasGood = known?.observed === 'Present' && observedGeneration === generation;
  const isGood = (found: Seen['look']) => observedOf(found, keys).observed === 'Present';
  return looks.at({ binding, secret: secretRef.name, isGood, wasGood }, signal);
}
