/**
 * Brings in force what was decided, or keeps or shuts what is there: the only part of the controller that writes outputs.
 *
 * At every moment the effective egress is within old and new spec: an output changes in one atomic write, is removed only
 * while the floor stands, and nothing is removed before its successor is applied. ADR 0006.
 */
import type { KubeObject } from '../../kube/types.ts';
import type { Drift } from '../drift.ts';
import { ensure, type Failure } from '../ensure.ts';
import { outputInformer } from '../namespace-cache.ts';
import { clear } from './clear.ts';
import type { Judgement } from './judge.ts';
import type { Loaded } from './load.ts';
import { inForceOf, ownOutputs, recordedUids, stillInForce, type WriteContext } from './outputs.ts';
import type { InForce } from './read-status.ts';

export type Enacted =
  | { readonly kind: 'Applied'; readonly inForce: InForce }
  /** Not brought about: a write failed, or what must go is still there. */
  | { readonly kind: 'Failed'; readonly failure: Failure; readonly inForce: InForce | undefined }
  /** Not compiled. `lost` says why what had been in force could not be kept. */
  | { readonly kind: 'Refused'; readonly inForce: InForce | undefined; readonly lost?: string };

export interface EnactContext extends WriteContext {
  /** Why drift is to be left alone; undefined when it is to be restored. */
  readonly judgeDrift: (drift: Drift) => Failure | undefined;
  readonly onRestored: (drift: Drift) => void;
}

export async function enact(loaded: Loaded, judgement: Judgement, context: EnactContext): Promise<Enacted> {
  const { result } = judgement;
  if (!loaded.readable.ok) return { kind: 'Refused', inForce: loaded.previousStatus.inForce };
  return result === undefined ? refuse(loaded, context) : bringInForce(loaded, result, context);
}

async function bringInForce(
  loaded: Loaded,
  result: NonNullable<Judgement['result']>,
  context: EnactContext,
): Promise<Enacted> {
  const { owner, generation } = loaded;
  const applied: KubeObject[] = [];
  const { onRestored } = context;
  const judgeDrift = loaded.recorded?.specHash === result.digest ? context.judgeDrift : undefined;
  for (const desired of result.outputs) {
    const informer = outputInformer(context.cache, desired.kind);
    if (informer === undefined) return failed(loaded, notEnabled(desired.kind), context);
    const request = { desired, owner, generation, recordedUids: recordedUids(loaded), judgeDrift, onRestored };
    const outcome = await ensure(request, { ...context, informer });
    if (!outcome.ok) return failed(loaded, outcome, context);
    applied.push(outcome.live);
  }
  const inForce = inForceOf(applied, generation);
  const kept = new Set(applied.map((live) => live.metadata.uid));
  const superseded = ownOutputs(loaded, context.cache).filter(({ live }) => !kept.has(live.metadata.uid));
  const cleared = await clear(superseded, context);
  if (!cleared.ok) return { kind: 'Failed', failure: cleared, inForce };
  return { kind: 'Applied', inForce };
}

/** What a failure means for the policy in force. Also called for one that is remembered, without trying again. */
export async function failed(loaded: Loaded, failure: Failure, context: WriteContext): Promise<Enacted> {
  const inForce = stillInForce(loaded, context.cache);
  // A passing failure is no refusal: it is tried again, and what is there stays. So it does where somebody answers for it.
  const stays = failure.reason === 'ApplyPending' || failure.reason === 'DriftAccepted';
  // What cannot be shown to be what was put in force, and cannot be made so, is not left open.
  const untrusted = inForce === undefined && loaded.floor.ok;
  if (stays || !(untrusted || mustShut(loaded))) return { kind: 'Failed', failure, inForce };
  await clear(ownOutputs(loaded, context.cache), context);
  return { kind: 'Failed', failure, inForce: stillInForce(loaded, context.cache) };
}

async function refuse(loaded: Loaded, context: WriteContext): Promise<Enacted> {
  const outputs = ownOutputs(loaded, context.cache);
  const inForce = stillInForce(loaded, context.cache);
  if (mustShut(loaded)) return shut(loaded, context);
  if (inForce !== undefined) return { kind: 'Refused', inForce };
  if (outputs.length === 0) {
    const gone = loaded.recorded !== undefined;
    return {
      kind: 'Refused',
      inForce,
      ...(gone ? { lost: 'what was in force has been deleted by somebody else' } : {}),
    };
  }
  // What is there is not what was put in force, and the spec it came from is gone: it can be neither trusted nor restored.
  const changed = 'what was in force has been changed by somebody else';
  if (!loaded.floor.ok)
    return { kind: 'Refused', inForce, lost: `${changed}, and cannot be removed without the floor` };
  const cleared = await shut(loaded, context);
  return cleared.kind === 'Refused' ? { ...cleared, lost: `${changed}, and was removed` } : cleared;
}

async function shut(loaded: Loaded, context: WriteContext): Promise<Enacted> {
  const cleared = await clear(ownOutputs(loaded, context.cache), context);
  if (cleared.ok) return { kind: 'Refused', inForce: undefined };
  return { kind: 'Failed', failure: cleared, inForce: stillInForce(loaded, context.cache) };
}

/** Whether the author asked for everything to be shut: only for a newer spec, and only while the floor makes it shut. */
function mustShut({ spec, policy, recorded, generation, floor }: Loaded): boolean {
  if (!floor.ok) return false;
  const raw = policy.spec as { readonly onRefusal?: unknown } | undefined;
  const onRefusal = spec.ok ? spec.value.onRefusal : raw?.onRefusal;
  return onRefusal === 'DenyAll' && recorded?.generation !== generation;
}

function notEnabled(kind: string): Failure {
  const message = `${kind} is not enabled for this operator: set cilium.enabled in the chart's values`;
  return { ok: false, reason: 'Forbidden', message };
}
