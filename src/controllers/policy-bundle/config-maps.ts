/**
 * One generated ConfigMap: create, then own. It is immutable, and there is no verb to change it with: what is ours and not as decided is
 * removed and created again, what is not ours is not touched. ADR 0005.
 */
import { POLICY_LABEL } from '../../api/meta.ts';
import { PolicyBundle } from '../../api/policy-bundle.ts';
import type { BundleOutput } from '../../compile/bundle/compile-bundle.ts';
import { canonicalJson, digest } from '../../compile/canonical.ts';
import { identityHash, type Owner } from '../../compile/names.ts';
import type { Client } from '../../kube/client.ts';
import { isKubeError } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Failure } from '../ensure.ts';
import { controllerOf, describeForeign, isControlledBy, isOurs } from '../ownership.ts';
import { CONFIG_MAPS, OPERATOR_MANAGER } from '../resources.ts';

export interface OutputContext {
  readonly client: Pick<Client, 'get' | 'create' | 'delete'>;
  readonly signal: AbortSignal;
}

export interface OutputRequest {
  readonly desired: BundleOutput;
  readonly owner: Owner;
  /** UIDs that the bundle's status recorded as its outputs. */
  readonly recordedUids: readonly string[];
}

/** `replaced`: what was there had been changed by somebody. */
export type Written = { readonly ok: true; readonly uid: string; readonly replaced?: boolean } | Failure;

/** POST, and only where that meets an object a look at it. Throws KubeError. */
export async function createOutput(request: OutputRequest, context: OutputContext): Promise<Written> {
  try {
    return await create(request, context);
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error;
  }
  // Either a stranger, or our own create whose answer was lost.
  return settle(request, await getOutput(request.desired.metadata, context), context);
}

/** What is there under the name. Undefined: nothing. Throws KubeError. */
export async function getOutput(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { client, signal }: OutputContext,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(CONFIG_MAPS, { namespace, name }, { signal });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Makes what was found be as decided, where it is ours. Throws KubeError. */
export async function settle(
  request: OutputRequest,
  live: KubeObject | undefined,
  context: OutputContext,
): Promise<Written> {
  if (live === undefined) return create(request, context);
  const { desired, owner, recordedUids } = request;
  if (!isOurs(live, owner, recordedUids)) return isLeftBehind(live, owner) ? leftBehind(live) : foreign(live);
  if (live.metadata.deletionTimestamp !== undefined) return going(live);
  if (isAsDecided(request, live)) return { ok: true, uid: live.metadata.uid ?? '' };
  await removeOutput({ ...desired.metadata, uid: live.metadata.uid ?? '' }, context);
  const written = await create(request, context);
  return written.ok ? { ...written, replaced: true } : written;
}

/** Deletes one incarnation. What is gone, or another one, is no error. Throws KubeError. */
export async function removeOutput(
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
  { client, signal }: OutputContext,
): Promise<void> {
  try {
    await client.delete(CONFIG_MAPS, { namespace, name }, { uid }, { signal });
  } catch (error) {
    if (!isKubeError(error, 'NotFound') && !isKubeError(error, 'Conflict')) throw error;
  }
}

/** Whether a live object is what was recorded, when what it was compiled from is not at hand. */
export function isIntact(
  live: KubeObject,
  { owner, recordedUids }: Omit<OutputRequest, 'desired'>,
  contentDigest: string,
): boolean {
  const { data, binaryData, immutable } = live;
  if (!isOurs(live, owner, recordedUids) || immutable !== true || binaryData !== undefined) return false;
  return digest(data) === contentDigest;
}

async function create(request: OutputRequest, context: OutputContext): Promise<Written> {
  const { desired } = request;
  const { client, signal } = context;
  const body: KubeObject = { ...desired, metadata: { ...desired.metadata } };
  const live = await client.create(CONFIG_MAPS, body, { fieldManager: OPERATOR_MANAGER, signal });
  if (isAsDecided(request, live)) return { ok: true, uid: live.metadata.uid ?? '' };
  await removeOutput({ ...desired.metadata, uid: live.metadata.uid ?? '' }, context);
  return {
    ok: false,
    reason: 'ApplyRejected',
    message: `the API server stored ConfigMap ${desired.metadata.name} with something else than was sent, so it was removed: look for a mutating webhook`,
  };
}

/** Content, and the marks that it is ours by. Whatever else somebody puts into the metadata is theirs. */
function isAsDecided({ desired, owner }: OutputRequest, live: KubeObject): boolean {
  const { data, binaryData, immutable } = live;
  const wanted = { data: desired.data, immutable: desired.immutable };
  const labels = Object.entries(desired.metadata.labels);
  return (
    canonicalJson({ data, binaryData, immutable }) === canonicalJson(wanted) &&
    labels.every(([key, value]) => live.metadata.labels?.[key] === value) &&
    isControlledBy(live, owner)
  );
}

/** A bundle of this identity was deleted and created again, and the garbage collector has not been there yet. */
function isLeftBehind(live: KubeObject, owner: Owner): boolean {
  const controller = controllerOf(live);
  const isOfIdentity = live.metadata.labels?.[POLICY_LABEL] === identityHash(owner);
  return isOfIdentity && controller?.kind === PolicyBundle.kind && controller.uid !== owner.uid;
}

function leftBehind({ metadata }: KubeObject): Failure {
  const message = `ConfigMap ${metadata.name} is of an earlier PolicyBundle of this identity, and goes by garbage collection`;
  return { ok: false, reason: 'ApplyPending', message };
}

function foreign(live: KubeObject): Failure {
  return { ok: false, reason: 'OwnershipConflict', message: describeForeign(live) };
}

function going({ metadata: { name, finalizers = [] } }: KubeObject): Failure {
  const held = finalizers.length === 0 ? '' : `, and is held by its finalizers (${finalizers.join(', ')}): remove them`;
  return { ok: false, reason: 'ApplyPending', message: `ConfigMap ${name} is being deleted${held}` };
}
