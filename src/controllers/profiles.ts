/** From a profile reference to the pods that it governs. */
import { parseSpec } from '../api/kind.ts';
import { RuntimeProfile } from '../api/runtime-profile.ts';
import type { Subject } from '../compile/emit.ts';
import type { KubeObject } from '../kube/types.ts';
import { identityRival, oldestOther } from './identity.ts';
import type { NamespaceCache } from './namespace-cache.ts';

export type ResolvedProfile =
  | { readonly ok: true; readonly value: Subject }
  | { readonly ok: false; readonly message: string };

/** Why a profile is not accepted; undefined when it is. */
export interface ProfileProblem {
  readonly reason: 'InvalidPolicy' | 'IdentityConflict' | 'SubjectConflict';
  readonly message: string;
}

/** As much of a namespace's cache as the question needs; it can be answered without a cluster as well. */
export interface ProfileView extends Pick<NamespaceCache, 'namespace'> {
  readonly profiles: Pick<NamespaceCache['profiles'], 'get' | 'list'>;
}

export function resolveProfile(cache: ProfileView, name: string | undefined): ResolvedProfile {
  if (name === undefined) return { ok: false, message: 'the reference to a profile cannot be read' };
  const profile = cache.profiles.get(name);
  if (profile === undefined) {
    return { ok: false, message: `RuntimeProfile ${name} does not exist in namespace ${cache.namespace}: create it` };
  }
  if (profile.metadata.deletionTimestamp !== undefined) {
    return { ok: false, message: `RuntimeProfile ${name} is being deleted` };
  }
  const problem = profileProblem(profile, cache.profiles.list());
  if (problem !== undefined)
    return { ok: false, message: `RuntimeProfile ${name} is not accepted: ${problem.message}` };
  return { ok: true, value: { profile: name, serviceAccountName: serviceAccountOf(profile) ?? '' } };
}

export function profileProblem(profile: KubeObject, all: readonly KubeObject[]): ProfileProblem | undefined {
  const parsed = parseSpec(RuntimeProfile, profile.spec);
  if (!parsed.ok) {
    return {
      reason: 'InvalidPolicy',
      message: parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
    };
  }
  const twin = identityRival(profile, all);
  if (twin !== undefined) {
    return {
      reason: 'IdentityConflict',
      message: `spec.id ${parsed.value.id} belongs to the older RuntimeProfile ${twin}: choose another`,
    };
  }
  const account = parsed.value.serviceAccountName;
  const rival = oldestOther(profile, all, (other) => serviceAccountOf(other) === account);
  if (rival === undefined) return undefined;
  return {
    reason: 'SubjectConflict',
    message: `ServiceAccount ${account} is governed by the older RuntimeProfile ${rival}: an account has one profile`,
  };
}

function serviceAccountOf(profile: KubeObject): string | undefined {
  const spec = profile.spec as { readonly serviceAccountName?: unknown } | undefined;
  return typeof spec?.serviceAccountName === 'string' ? spec.serviceAccountName : undefined;
}
