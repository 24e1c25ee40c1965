/** Gathers what a reconcile of one SecretBinding needs, from caches only. The Secret itself is looked at elsewhere. */
import { type Parsed, parseSpec } from '../../api/kind.ts';
import { SecretBinding, type SecretBindingSpec, type SecretBindingStatus } from '../../api/secret-binding.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { placeProblem } from '../bindings.ts';
import { identityRival } from '../identity.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { type ResolvedProfile, resolveProfile } from '../profiles.ts';
import { readability } from '../readability.ts';

export interface LoadedBinding {
  readonly binding: KubeObject;
  readonly uid: string;
  readonly generation: number;
  readonly spec: Parsed<SecretBindingSpec>;
  /** The older binding that has the same `spec.id`, when there is one. */
  readonly rival: string | undefined;
  /** Why the profile has no place for it. */
  readonly place: string | undefined;
  readonly profile: ResolvedProfile;
  readonly readable: ReturnType<typeof readability>;
  readonly previousStatus: SecretBindingStatus;
}

/** Undefined when there is nothing to do: the binding is gone, or going. */
export function loadBinding(
  name: string,
  cache: NamespaceCache,
  isCurrent: (informer: Informer) => boolean,
): LoadedBinding | undefined {
  const binding = cache.bindings.get(name);
  const { uid, generation, deletionTimestamp } = binding?.metadata ?? {};
  if (binding === undefined || uid === undefined || generation === undefined) return undefined;
  if (deletionTimestamp !== undefined) return undefined;
  const spec = parseSpec(SecretBinding, binding.spec);
  const all = cache.bindings.list();
  const status = SecretBinding.status.safeParse(binding.status ?? {});
  return {
    binding,
    uid,
    generation,
    spec,
    rival: identityRival(binding, all),
    place: placeProblem(binding, all),
    profile: resolveProfile(cache, spec.ok ? spec.value.profileRef.name : undefined),
    readable: readability([cache.bindings, cache.profiles], isCurrent),
    previousStatus: status.success ? status.data : {},
  };
}
