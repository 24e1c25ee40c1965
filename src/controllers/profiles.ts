/** From a profile reference to the pods that it governs. */
import { parseSpec } from '../api/kind.ts';
import { RuntimeProfile } from '../api/runtime-profile.ts';
import type { Subject } from '../compile/emit.ts';
import type { Informer } from '../kube/informer.ts';
import type { KubeObject } from '../kube/types.ts';
import { foreignPods } from './governed-pods.ts';
import { identityRival, oldestOther } from './identity.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { isHeld } from './runtime-profile/deletion.ts';

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
  /** Absent where no pods are known. */
  readonly pods?: Pick<Informer, 'list'>;
}

/** What a profile has to get along with. */
export interface Surroundings {
  readonly profiles: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
}

export function resolveProfile(cache: ProfileView, name: string | undefined): ResolvedProfile {
  if (name === undefined) return { ok: false, message: 'the reference to a profile cannot be read' };
  const profile = cache.profiles.get(name);
  if (profile === undefined) {
    return { ok: false, message: `RuntimeProfile ${name} does not exist in namespace ${cache.namespace}: create it` };
  }
  // One that waits for its workloads governs them until they are gone.
  if (profile.metadata.deletionTimestamp !== undefined && !isHeld(profile)) {
    return { ok: false, message: `RuntimeProfile ${name} is being deleted` };
  }
  const problem = profileProblem(profile, { profiles: cache.profiles.list(), pods: cache.pods?.list() ?? [] });
  if (problem !== undefined)
    return { ok: false, message: `RuntimeProfile ${name} is not accepted: ${problem.message}` };
  return { ok: true, value: { profile: name, serviceAccountName: serviceAccountOf(profile) ?? '' } };
}

export function profileProblem(profile: KubeObject, { profiles, pods }: Surroundings): ProfileProblem | undefined {
  const parsed = parseSpec(RuntimeProfile, profile.spec);
  if (!parsed.ok) {
    return {
      reason: 'InvalidPolicy',
      message: parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; '),
    };
  }
  const twin = identityRival(profile, profiles);
  if (twin !== undefined) {
    return {
      reason: 'IdentityConflict',
      message: `spec.id ${parsed.value.id} belongs to the older RuntimeProfile ${twin}: choose another`,
    };
  }
  const account = parsed.value.serviceAccountName;
  const rival = oldestOther(profile, profiles, (other) => serviceAccountOf(other) === account);
  if (rival !== undefined) {
    const message = `ServiceAccount ${account} is governed by the older RuntimeProfile ${rival}: an account has one profile`;
    return { reason: 'SubjectConflict', message };
  }
  const [first, ...more] = foreignPods(profile.metadata.name, account, pods);
  return first === undefined
    ? undefined
    : { reason: 'SubjectConflict', message: describeForeign([first, ...more], account) };
}

/** More are only hinted at: their number changes too often for a status. */
const NAMED_PODS = 3;

/** Where a provider selects by the label, they have the egress of the profile without being what it demands. */
function describeForeign(names: readonly string[], account: string): string {
  const shown = names.slice(0, NAMED_PODS).join(', ');
  const all = names.length > NAMED_PODS ? `${shown} and others` : shown;
  return `pods carry the label of the profile, and do not run as ServiceAccount ${account}: delete ${all}`;
}

function serviceAccountOf(profile: KubeObject): string | undefined {
  const spec = profile.spec as { readonly serviceAccountName?: unknown } | undefined;
  return typeof spec?.serviceAccountName === 'string' ? spec.serviceAccountName : undefined;
}
