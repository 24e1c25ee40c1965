/** Tells what came of a reconcile: ONE status write, skipped when nothing changed, and an Event where `Ready` has changed. */
import type { Condition } from '../api/conditions.ts';
import { canonicalJson } from '../compile/canonical.ts';
import type { Client } from '../kube/client.ts';
import { isKubeError } from '../kube/errors.ts';
import type { Informer } from '../kube/informer.ts';
import { isRecord } from '../kube/types.ts';
import type { Announce } from './announce.ts';
import { type StatusWrite, writeStatus } from './write-status.ts';

export interface PublishStatusContext {
  readonly client: Client;
  /** That holds the object. */
  readonly informer: Informer;
  readonly announce: Announce;
}

export async function publishStatus(
  write: StatusWrite,
  { client, informer, announce }: PublishStatusContext,
): Promise<void> {
  if (canonicalJson(write.status) === canonicalJson(write.object.status)) return;
  try {
    await writeStatus(write, client, informer);
  } catch (error) {
    // It went away while it was reconciled: there is nobody left to tell.
    if (isKubeError(error, 'NotFound')) return;
    throw error;
  }
  const before = readyOf(write.object.status);
  const after = readyOf(write.status);
  if (after === undefined || isSame(before, after)) return;
  announce(write.object, after.status === 'True' ? 'Normal' : 'Warning', after);
}

function isSame(before: Condition | undefined, after: Condition): boolean {
  return (
    before?.status === after.status &&
    before.reason === after.reason &&
    before.observedGeneration === after.observedGeneration
  );
}

function readyOf(status: unknown): Condition | undefined {
  const conditions: unknown = isRecord(status) ? status.conditions : undefined;
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly Condition[]).find((condition) => isRecord(condition) && condition.type === 'Ready');
}
