/** Gathers what a reconcile of one PolicyBundle needs, from caches only. ConfigMaps are read elsewhere, by name. */
import { type Parsed, parseSpec } from '../../api/kind.ts';
import { PolicyBundle, type PolicyBundleSpec, type PolicyBundleStatus } from '../../api/policy-bundle.ts';
import { MAX_BUNDLES } from '../../api/runtime-profile.ts';
import type { Owner } from '../../compile/names.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { profileOf } from '../exclusive.ts';
import { mountedBundles } from '../governed-pods.ts';
import { byAge, identityRival } from '../identity.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { type ResolvedProfile, resolveProfile } from '../profiles.ts';
import { type Readability, readability } from '../readability.ts';

export interface LoadedBundle {
  readonly bundle: KubeObject;
  readonly owner: Owner;
  readonly generation: number;
  readonly spec: Parsed<PolicyBundleSpec>;
  /** The older bundle that has the same `spec.id`, when there is one. */
  readonly rival: string | undefined;
  /** Whether the profile has as many older bundles as pods can be told of. */
  readonly isCrowdedOut: boolean;
  readonly profile: ResolvedProfile;
  /** Pods are left out: nothing is put in force by them. */
  readonly readable: Readability;
  /** The generated ConfigMaps that live pods use. Undefined while pods cannot be followed. */
  readonly mounted: ReadonlySet<string> | undefined;
  readonly previousStatus: PolicyBundleStatus;
}

/** Undefined when there is nothing to do: the bundle is gone, or going (its outputs go with it, by owner reference). */
export function loadBundle(
  name: string,
  cache: NamespaceCache,
  isCurrent: (informer: Informer) => boolean,
): LoadedBundle | undefined {
  const bundle = cache.bundles.get(name);
  const { uid, generation, deletionTimestamp } = bundle?.metadata ?? {};
  if (bundle === undefined || uid === undefined || generation === undefined) return undefined;
  if (deletionTimestamp !== undefined) return undefined;
  const spec = parseSpec(PolicyBundle, bundle.spec);
  const all = cache.bundles.list();
  return {
    bundle,
    owner: { kind: PolicyBundle.kind, namespace: cache.namespace, name, uid, id: spec.ok ? spec.value.id : undefined },
    generation,
    spec,
    rival: identityRival(bundle, all),
    isCrowdedOut: olderOfProfile(bundle, all) >= MAX_BUNDLES,
    profile: resolveProfile(cache, spec.ok ? spec.value.profileRef.name : undefined),
    readable: readability([cache.bundles, cache.profiles], isCurrent),
    mounted: isCurrent(cache.pods) ? mountedBundles(cache) : undefined,
    previousStatus: readStatus(bundle.status),
  };
}

/** Anything unreadable counts as absent: a status is a cache of facts. */
export function readStatus(value: unknown): PolicyBundleStatus {
  const parsed = PolicyBundle.status.safeParse(value ?? {});
  return parsed.success ? parsed.data : {};
}

/** Whether they are in force plays no part: a place that comes and goes with that would be none. */
function olderOfProfile(bundle: KubeObject, all: readonly KubeObject[]): number {
  const profile = profileOf(bundle);
  return all.filter((other) => profileOf(other) === profile && byAge(other, bundle) < 0).length;
}
