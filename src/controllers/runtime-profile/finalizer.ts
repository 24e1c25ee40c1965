/** Puts the finalizer on a profile, and takes it off: the only writes of the operator beside a status. */
import { PROFILE_LABEL, WORKLOADS_FINALIZER } from '../../api/meta.ts';
import type { Client } from '../../kube/client.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { claimsOf } from '../governed-claims.ts';
import { governedPods, podSketch } from '../governed-pods.ts';
import { claimSketch } from '../namespace-cache.ts';
import { FINALIZER_MANAGER, PODS, RUNTIME_PROFILES, VOLUME_CLAIMS } from '../resources.ts';
import { isHeld, type Remaining, remainingOf } from './deletion.ts';

export interface FinalizerContext {
  readonly client: Client;
  /** That holds the profile. */
  readonly informer: Informer;
  readonly signal: AbortSignal;
}

/** Before pods are admitted for the first time. */
export async function hold(profile: KubeObject, { client, informer, signal }: FinalizerContext): Promise<void> {
  informer.observe(await applyFinalizers(profile, [WORKLOADS_FINALIZER], { client, informer, signal }));
}

export async function release(profile: KubeObject, context: FinalizerContext): Promise<void> {
  const { client, informer, signal } = context;
  let live = await applyFinalizers(profile, [], context);
  // Whoever restored or exported the object owns the finalizer as well, and an apply takes away only what nobody else owns.
  if (isHeld(live)) {
    const { name, resourceVersion, finalizers = [] } = live.metadata;
    const others = finalizers.filter((finalizer) => finalizer !== WORKLOADS_FINALIZER);
    const patch = { metadata: { resourceVersion, finalizers: others } };
    const ref = { namespace: informer.namespace, name };
    live = await client.mergePatch(RUNTIME_PROFILES, ref, patch, { fieldManager: FINALIZER_MANAGER, signal });
  }
  const { name, uid = '', finalizers = [] } = live.metadata;
  // The answer to the last finalizer shows the object for the last time.
  if (finalizers.length === 0) informer.observeDeleted({ name, uid });
  else informer.observe(live);
}

/** What the API server itself says is left: a cache may not have heard yet of the pod that was admitted last. */
export async function remainingNow(
  { name, account }: { readonly name: string; readonly account: string },
  { client, informer: { namespace }, signal }: FinalizerContext,
): Promise<Remaining> {
  const [pods, claims] = await Promise.all([
    client.list(PODS, { namespace, fieldSelector: `spec.serviceAccountName=${account}`, transform: podSketch, signal }),
    client.list(VOLUME_CLAIMS, {
      namespace,
      labelSelector: `${PROFILE_LABEL}=${name}`,
      transform: claimSketch,
      signal,
    }),
  ]);
  const governed = governedPods({ pods: { list: () => [...pods.items] } }, account);
  return remainingOf(governed, claimsOf(name, claims.items));
}

function applyFinalizers(
  { apiVersion, kind, metadata: { name, uid } }: KubeObject,
  finalizers: readonly string[],
  { client, informer, signal }: FinalizerContext,
): Promise<KubeObject> {
  const metadata = { name, namespace: informer.namespace, ...(uid === undefined ? {} : { uid }) };
  // Left out, not empty: a list that is applied empty is a list that we own.
  const body: KubeObject = {
    apiVersion,
    kind,
    metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers },
  };
  return client.apply(RUNTIME_PROFILES, body, { fieldManager: FINALIZER_MANAGER, force: false, signal });
}
