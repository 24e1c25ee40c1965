/** Removes outputs, and says what stands in the way: an object that is still there is still in force. */

import { KubeError } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import { type EnsureContext, type Failure, failureOf, remove } from '../ensure.ts';
import type { OwnOutput, WriteContext } from './outputs.ts';

export type Cleared = { readonly ok: true } | Failure;

export async function clear(outputs: readonly OwnOutput[], { client, signal }: WriteContext): Promise<Cleared> {
  try {
    for (const { live, informer } of outputs) {
      const target: EnsureContext = { client, informer, signal };
      if (live.metadata.deletionTimestamp === undefined) await remove(live, target);
    }
  } catch (error) {
    if (error instanceof KubeError) return failureOf(error);
    throw error;
  }
  const held = outputs.filter(
    ({ live, informer }) => informer.get(live.metadata.name)?.metadata.uid === live.metadata.uid,
  );
  const [first] = held;
  return first === undefined ? { ok: true } : { ok: false, reason: 'ApplyPending', message: describeHeld(first.live) };
}

function describeHeld({ kind, metadata }: KubeObject): string {
  const finalizers = metadata.finalizers ?? [];
  const why =
    finalizers.length === 0 ? 'is not gone yet' : `is held by its finalizers (${finalizers.join(', ')}): remove them`;
  return `${kind} ${metadata.name} must go, and ${why}; until then it is in force`;
}
