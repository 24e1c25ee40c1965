/** Gathers what a reconcile of one RuntimeProfile needs, from caches only: no read goes to the API server. */
import type { CapabilityReportStatus, RuntimeClassState } from '../../api/capability-report.ts';
import { type Parsed, parseSpec } from '../../api/kind.ts';
import { FLOOR_NAME } from '../../api/meta.ts';
import { RuntimeProfile, type RuntimeProfileSpec, type RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import { type FloorState, floorState } from '../../compile/floor.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { profileOf } from '../exclusive.ts';
import { claimsOf } from '../governed-claims.ts';
import { accountOf, governedPods } from '../governed-pods.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { type ProfileProblem, profileProblem } from '../profiles.ts';
import { type Readability, readability } from '../readability.ts';

/** `Unknown`: nothing recent was said of it. */
export type RuntimeClassFinding = RuntimeClassState | 'Unknown';

export interface LoadedProfile {
  readonly profile: KubeObject;
  readonly name: string;
  readonly generation: number;
  readonly spec: Parsed<RuntimeProfileSpec>;
  /** Why it is not accepted. */
  readonly problem: ProfileProblem | undefined;
  readonly readable: Readability;
  /** Of the class that it names. */
  readonly runtimeClass: RuntimeClassFinding;
  /** Whether what its pods have without any policy denies all egress. Whatever a provider selects by: its pods carry the label. */
  readonly floor: FloorState;
  readonly policies: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
  readonly bundles: readonly KubeObject[];
  /** That run as its account and have not ended. */
  readonly pods: readonly KubeObject[];
  /** Volumes with its label; undefined where they are not followed. */
  readonly claims: readonly KubeObject[] | undefined;
  readonly previousStatus: RuntimeProfileStatus;
}

export interface LoadProfileContext {
  readonly cache: NamespaceCache;
  readonly report: CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  readonly isCurrent: (informer: Informer) => boolean;
}

/** Undefined when there is nothing to do: the profile is gone. */
export function loadProfile(name: string, context: LoadProfileContext): LoadedProfile | undefined {
  const { cache, isCurrent } = context;
  const { profiles, policies, bindings, bundles, pods } = cache;
  const profile = profiles.get(name);
  const generation = profile?.metadata.generation;
  if (profile === undefined || generation === undefined) return undefined;
  const spec = parseSpec(RuntimeProfile, profile.spec);
  const status = RuntimeProfile.status.safeParse(profile.status ?? {});
  const ofProfile = (informer: Informer) => informer.list().filter((object) => profileOf(object) === name);
  return {
    profile,
    name,
    generation,
    spec,
    problem: profileProblem(profile, { profiles: profiles.list(), pods: pods.list() }),
    readable: readability([profiles, policies, bindings, bundles, pods, cache.networkPolicies], isCurrent),
    runtimeClass: runtimeClassOf(spec.ok ? spec.value.runtimeClassName : undefined, context),
    floor: floorState(cache.networkPolicies.get(FLOOR_NAME), cache.namespace, 'label'),
    policies: ofProfile(policies),
    bindings: ofProfile(bindings),
    bundles: ofProfile(bundles),
    pods: governedPods(cache, accountOf(profile) ?? ''),
    claims: cache.claims && claimsOf(name, cache.claims.list()),
    previousStatus: status.success ? status.data : {},
  };
}

function runtimeClassOf(name: string | undefined, { report, isFresh }: LoadProfileContext): RuntimeClassFinding {
  if (report?.observedAt === undefined || !isFresh(report.observedAt)) return 'Unknown';
  return report.runtimeClasses?.find((runtimeClass) => runtimeClass.name === name)?.state ?? 'Unknown';
}
