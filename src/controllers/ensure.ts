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
import { enforcesAsDecided, firstDifference, foreignManagers, lastForeignManager } from './drift.ts';
import { describeForeign, isOurs } from './ownership.ts';
import { OPERATOR_MANAGER } from './resources.ts';

/** The generation a generated object was compiled from, for people and for recovery; never compared. */
export const GENERATION_ANNOTATION = 'agentplane.dev/generation';

/** A change by somebody else that was undone. `field` is undefined when the whole object had been deleted. */
export interface Drift {
  readonly manager: string;
  readonly field?: string;
}

export type FailureReason =
  | 'OwnershipConflict'
  | 'FieldConflict'
  | 'RejectedByAdmission'
  | 'ApplyRejected'
  | 'Forbidden'
  | 'ApplyPending';

export interface Failure {
  readonly ok: false;
  readonly reason: FailureReason;
  readonly message: string;
  readonly cause?: KubeError;
}

export type Ensured = { readonly ok: true; readonly live: KubeObject; readonly drift?: Drift } | Failure;

export interface EnsureRequest {
  readonly desired: DesiredObject;
  readonly owner: Owner;
  readonly generation: number;
  /** UIDs that the owner's status recorded as its outputs. */
  readonly recordedUids: readonly string[];
  /** True when what is decided now is what was in force before: then a difference is somebody else's doing. */
  readonly unchangedSince: boolean;
}

export interface EnsureContext {
  readonly client: Client;
  readonly informer: Informer;
  readonly signal: AbortSignal;
}

export async function ensure(request: EnsureRequest, context: EnsureContext): Promise<Ensured> {
  try {
    const cached = context.informer.get(request.desired.metadata.name);
    return cached === undefined ? await create(request, context) : await update(request, cached, context);
  } catch (error) {
    if (error instanceof KubeError) return failureOf(error);
    throw error;
  }
}

async function create(request: EnsureRequest, context: EnsureContext): Promise<Ensured> {
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
  const wasDeleted = request.unchangedSince && request.recordedUids.length > 0;
  return readBack(request, live, { context, ...(wasDeleted ? { drift: { manager: 'unknown' } } : {}) });
}

async function update(request: EnsureRequest, live: KubeObject, context: EnsureContext): Promise<Ensured> {
  if (!isOurs(live, request.owner, request.recordedUids)) {
    return { ok: false, reason: 'OwnershipConflict', message: describeForeign(live) };
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    return { ok: false, reason: 'ApplyPending', message: `${live.kind} ${live.metadata.name} is being deleted` };
  }
  const field = firstDifference(request.desired, live);
  if (field === undefined) return { ok: true, live };
  const strangers = foreignManagers(live);
  const isDrift = request.unchangedSince;
  const { client, informer, signal } = context;
  const applied = await client.apply(informer.resource, body(request, live), {
    fieldManager: OPERATOR_MANAGER,
    // Force restores our own fields after drift, and takes over from our own POST, which the server books as another
    // operation. A field that somebody else holds while we change our mind is a conflict to report. The resourceVersion in
    // the body makes sure that nothing happened since `strangers` was read.
    force: isDrift || strangers.length === 0,
    signal,
  });
  informer.observe(applied);
  const drift: Drift | undefined = isDrift ? { manager: strangers[0] ?? lastForeignManager(live), field } : undefined;
  if (strangers.length > 0 && !enforcesAsDecided(request.desired, applied)) {
    // Somebody holds a field that we never set, such as a second list of rules. Applying cannot take it away, so the object
    // starts afresh; until then the floor alone is in force.
    await remove(applied, context);
    const afresh = await create({ ...request, unchangedSince: false }, context);
    return afresh.ok && drift !== undefined ? { ...afresh, drift } : afresh;
  }
  return readBack(request, applied, { context, ...(drift === undefined ? {} : { drift }) });
}

interface ReadBack {
  readonly context: EnsureContext;
  readonly drift?: Drift;
}

async function readBack(request: EnsureRequest, live: KubeObject, { context, drift }: ReadBack): Promise<Ensured> {
  if (enforcesAsDecided(request.desired, live)) return { ok: true, live, ...(drift === undefined ? {} : { drift }) };
  const field = firstDifference(request.desired, live) ?? '.spec';
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
