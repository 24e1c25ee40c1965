/**
 * Makes one generated object be as decided: create, then own; narrow server-side apply; restore what others changed.
 *
 * The first write is a POST, so that nothing that exists is ever touched by it. The response of every write is its read-back:
 * what the server stored must be what was sent, or the object goes away again and the floor remains. ADR 0005.
 */
import type { DesiredObject, Owner } from '../compile/names.ts';
import type { Client } from '../kube/client.ts';
import { isKubeError, KubeError, type KubeErrorReason } from '../kube/errors.ts';
import type { Informer } from '../kube/informer.ts';
import type { KubeObject } from '../kube/types.ts';
import { type Drift, driftOf, enforcesAsDecided, foreignManagers } from './drift.ts';
import { withoutLeftBehind } from './left-behind.ts';
import { describeForeign, isOurs } from './ownership.ts';
import { OPERATOR_MANAGER } from './resources.ts';

/** The generation a generated object was compiled from, for people and for recovery; never compared. */
export const GENERATION_ANNOTATION = 'agentplane.dev/generation';

export type FailureReason =
  | 'OwnershipConflict'
  | 'FieldConflict'
  | 'RejectedByAdmission'
  | 'ApplyRejected'
  | 'Forbidden'
  | 'ApplyPending'
  | 'DriftAccepted'
  | 'ContestedField';

export interface Failure {
  readonly ok: false;
  readonly reason: FailureReason;
  readonly message: string;
  readonly cause?: KubeError;
  /** When it is worth trying again although nothing has happened. */
  readonly retryAfterMs?: number;
}

export type Ensured = { readonly ok: true; readonly live: KubeObject } | Failure;

export interface EnsureRequest {
  readonly desired: DesiredObject;
  readonly owner: Owner;
  readonly generation: number;
  /** UIDs that the owner's status recorded as its outputs. */
  readonly recordedUids: readonly string[];
  /**
   * Given when what is decided now was in force before: then a difference is somebody else's doing. It is undone, unless this answers
   * why not.
   */
  readonly judgeDrift?: ((drift: Drift) => Failure | undefined) | undefined;
  /** Called right after the write that undoes drift: it was made, whatever fails afterwards. */
  readonly onRestored?: ((drift: Drift) => void) | undefined;
}

export interface EnsureContext {
  readonly client: Client;
  readonly informer: Informer;
  readonly signal: AbortSignal;
}

export async function ensure(request: EnsureRequest, context: EnsureContext): Promise<Ensured> {
  try {
    const cached = context.informer.get(request.desired.metadata.name);
    if (cached !== undefined) return await update(request, cached, context);
    const drift = request.judgeDrift !== undefined && request.recordedUids.length > 0 ? {} : undefined;
    const objection = drift && request.judgeDrift?.(drift);
    return objection ?? (await create(request, context, drift));
  } catch (error) {
    if (error instanceof KubeError) return failureOf(error);
    throw error;
  }
}

async function create(request: EnsureRequest, context: EnsureContext, drift?: Drift): Promise<Ensured> {
  const { desired } = request;
  const { client, informer, signal } = context;
  let live: KubeObject;
  try {
    live = await client.create(informer.resource, body(request), { fieldManager: OPERATOR_MANAGER, signal });
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
    // Either a stranger, or our own create whose answer was lost.
    const found = await client.get(
      informer.resource,
      { namespace: informer.namespace, name: desired.metadata.name },
      { signal },
    );
    informer.observe(found);
    return update(request, found, context);
  }
  informer.observe(live);
  if (drift !== undefined) request.onRestored?.(drift);
  return readBack(request, live, context);
}

async function update(request: EnsureRequest, live: KubeObject, context: EnsureContext): Promise<Ensured> {
  if (!isOurs(live, request.owner, request.recordedUids)) {
    return { ok: false, reason: 'OwnershipConflict', message: describeForeign(live) };
  }
  const difference = driftOf(request.desired, live);
  if (difference === undefined) return isGoing(live) ? going(live) : { ok: true, live };
  const drift = request.judgeDrift === undefined ? undefined : difference;
  const objection = drift && request.judgeDrift?.(drift);
  if (objection !== undefined) return objection;
  const strangers = foreignManagers(live);
  const { client, informer, signal } = context;
  const applied = await client.apply(informer.resource, body(request, live), {
    fieldManager: OPERATOR_MANAGER,
    // Force restores our own fields after drift, and takes over from our own POST, which the server books as another
    // operation. A field that somebody else holds while we change our mind is a conflict to report. The resourceVersion in
    // the body makes sure that nothing happened since `strangers` was read.
    force: drift !== undefined || strangers.length === 0,
    signal,
  });
  informer.observe(applied);
  if (drift !== undefined) request.onRestored?.(drift);
  // Until it is gone it is in force, so it was narrowed all the same. Nothing more can be done: it cannot be deleted twice.
  if (isGoing(applied)) return going(applied);
  if (strangers.length > 0 && !enforcesAsDecided(request.desired, applied)) {
    // Somebody holds a field that we never set, such as a second list of rules. Applying cannot take it away, so the object
    // starts afresh; until then the floor alone is in force.
    await remove(applied, context);
    return create(request, context);
  }
  return readBack(request, strangers.length > 0 ? applied : await trimmed(request, applied, context), context);
}

/** What stands until then is narrower than what is decided, or as it was before: nothing is open that neither allows. */
async function trimmed({ desired }: EnsureRequest, live: KubeObject, context: EnsureContext): Promise<KubeObject> {
  const { client, informer, signal } = context;
  const patch = withoutLeftBehind(desired, live);
  if (patch === undefined) return live;
  const ref = { namespace: informer.namespace, name: live.metadata.name };
  const answer = await client.mergePatch(informer.resource, ref, patch, { fieldManager: OPERATOR_MANAGER, signal });
  informer.observe(answer);
  return answer;
}

function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function going({ kind, metadata: { name, finalizers = [] } }: KubeObject): Failure {
  const held = finalizers.length === 0 ? '' : `, and is held by its finalizers (${finalizers.join(', ')}): remove them`;
  return { ok: false, reason: 'ApplyPending', message: `${kind} ${name} is being deleted${held}` };
}

async function readBack(request: EnsureRequest, live: KubeObject, context: EnsureContext): Promise<Ensured> {
  if (enforcesAsDecided(request.desired, live)) return { ok: true, live };
  const field = driftOf(request.desired, live)?.field ?? '.spec';
  await remove(live, context);
  return {
    ok: false,
    reason: 'ApplyRejected',
    message: `the API server stored ${live.kind} ${live.metadata.name} with another ${field} than was sent, so it was removed: look for a mutating webhook or an outdated CRD`,
  };
}

/** Deletes one incarnation of a generated object. */
export async function remove(live: KubeObject, { client, informer, signal }: EnsureContext): Promise<void> {
  const { name, uid } = live.metadata;
  if (uid === undefined) return;
  try {
    const { removed } = await client.delete(
      informer.resource,
      { namespace: informer.namespace, name },
      { uid },
      { signal },
    );
    if (removed) informer.observeDeleted({ name, uid });
  } catch (error) {
    // Gone already, or another incarnation: in both cases this one is not there any more.
    if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
  }
}

function body({ desired, generation }: EnsureRequest, live?: KubeObject): KubeObject {
  const { uid, resourceVersion } = live?.metadata ?? {};
  return {
    apiVersion: desired.apiVersion,
    kind: desired.kind,
    metadata: {
      ...desired.metadata,
      annotations: { [GENERATION_ANNOTATION]: String(generation) },
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: desired.spec,
  };
}

/** What a failed call means for the object. The rest may pass: `ApplyPending`. */
const FAILURE_REASONS: Partial<Record<KubeErrorReason, FailureReason>> = {
  FieldConflict: 'FieldConflict',
  Forbidden: 'Forbidden',
  RejectedByAdmission: 'RejectedByAdmission',
  Invalid: 'ApplyRejected',
  TooLarge: 'ApplyRejected',
};

/** Throws what says nothing about the object. */
export function failureOf(error: KubeError): Failure {
  // The operator is stopping: nothing is to be concluded about the object.
  if (error.reason === 'Aborted') throw error;
  // Our own first write is booked as another owner; it is in nobody's way.
  const others = error.fieldConflicts.filter(({ manager }) => manager !== OPERATOR_MANAGER);
  const held = others.map(({ manager, field }) => `${field} is held by ${manager}`).join('; ');
  const message = held === '' ? error.message : `${held}: let it go of the field, or delete the object`;
  return { ok: false, reason: FAILURE_REASONS[error.reason] ?? 'ApplyPending', message, cause: error };
}
