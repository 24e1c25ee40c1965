/**
 * Brings in force what was decided, or keeps or shuts what is there: the only part of the controller that writes outputs.
 *
 * At every moment the effective egress is within old and new spec: an output changes in one atomic write, is removed only
 * while the floor stands, and nothing is removed before its successor is applied. ADR 0006.
 */
import type { KubeObject } from '../../kube/types.ts';
import { type Drift, type EnsureContext, type Ensured, ensure, remove } from '../ensure.ts';
import { outputInformer } from '../namespace-cache.ts';
import type { Judgement } from './judge.ts';
import type { InForce, Loaded } from './load.ts';
import { inForceOf, ownOutputs, recordedUids, stillInForce, type WriteContext } from './outputs.ts';

export type ApplyFailure = Extract<Ensured, { ok: false }>;

export type Enacted =
  | { readonly kind: 'Applied'; readonly inForce: InForce; readonly drift?: Drift }
  /** Compiled, but not applied. */
  | { readonly kind: 'Failed'; readonly failure: ApplyFailure; readonly inForce: InForce | undefined }
  /** Not compiled. `lost` says why what had been in force could not be kept. */
  | { readonly kind: 'Refused'; readonly inForce: InForce | undefined; readonly lost?: string };

export async function enact(loaded: Loaded, judgement: Judgement, context: WriteContext): Promise<Enacted> {
  const { result } = judgement;
  return result === undefined ? refuse(loaded, context) : bringInForce(loaded, result, context);
}

async function bringInForce(
  loaded: Loaded,
  result: NonNullable<Judgement['result']>,
  context: WriteContext,
): Promise<Enacted> {
  const { owner, generation } = loaded;
  const applied: KubeObject[] = [];
  let drift: Drift | undefined;
  for (const desired of result.outputs) {
    const informer = outputInformer(context.cache, desired.kind);
    if (informer === undefined)
      return { kind: 'Failed', failure: notEnabled(desired.kind), inForce: stillInForce(loaded, context) };
    const unchangedSince = loaded.inForce?.specHash === result.digest;
    const request = { desired, owner, generation, recordedUids: recordedUids(loaded), unchangedSince };
    const outcome = await ensure(request, { ...context, informer });
    if (!outcome.ok) return failed(loaded, outcome, context);
    applied.push(outcome.live);
    drift ??= outcome.drift;
  }
  await removeAllBut(applied, loaded, context);
  return { kind: 'Applied', inForce: inForceOf(applied, generation), ...(drift === undefined ? {} : { drift }) };
}

async function failed(loaded: Loaded, failure: ApplyFailure, context: WriteContext): Promise<Enacted> {
  // A passing failure is no refusal: it is tried again, and what is in force stays.
  if (failure.reason !== 'ApplyPending' && mustShut(loaded)) await removeAllBut([], loaded, context);
  return { kind: 'Failed', failure, inForce: stillInForce(loaded, context) };
}

async function refuse(loaded: Loaded, context: WriteContext): Promise<Enacted> {
  if (mustShut(loaded)) {
    await removeAllBut([], loaded, context);
    return { kind: 'Refused', inForce: undefined };
  }
  const inForce = stillInForce(loaded, context);
  if (inForce !== undefined || ownOutputs(loaded, context.cache).length === 0 || !loaded.floor.ok) {
    const gone = inForce === undefined && loaded.inForce !== undefined;
    return {
      kind: 'Refused',
      inForce,
      ...(gone ? { lost: 'what was in force has been deleted by somebody else' } : {}),
    };
  }
  // What is there is not what was put in force, and the spec it came from is gone: it can be neither trusted nor restored.
  await removeAllBut([], loaded, context);
  return {
    kind: 'Refused',
    inForce: undefined,
    lost: 'what was in force has been changed by somebody else, and was removed',
  };
}

/** Whether the author asked for everything to be shut: only for a newer spec, and only while the floor makes it shut. */
function mustShut({ spec, policy, inForce, generation, floor }: Loaded): boolean {
  if (!floor.ok) return false;
  const raw = policy.spec as { readonly onRefusal?: unknown } | undefined;
  const onRefusal = spec.ok ? spec.value.onRefusal : raw?.onRefusal;
  return onRefusal === 'DenyAll' && inForce?.generation !== generation;
}

async function removeAllBut(keep: readonly KubeObject[], loaded: Loaded, context: WriteContext): Promise<void> {
  const kept = new Set(keep.map((live) => live.metadata.uid));
  for (const { live, informer } of ownOutputs(loaded, context.cache)) {
    if (kept.has(live.metadata.uid) || live.metadata.deletionTimestamp !== undefined) continue;
    const target: EnsureContext = { ...context, informer };
    await remove(live, target);
  }
}

function notEnabled(kind: string): ApplyFailure {
  const message = `${kind} is not enabled for this operator: set cilium.enabled in the chart's values`;
  return { ok: false, reason: 'Forbidden', message };
}
