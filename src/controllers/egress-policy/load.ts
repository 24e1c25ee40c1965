/** Gathers what a reconcile of one EgressPolicy needs, from caches only: no read goes to the API server. */
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import { EgressPolicy, type EgressPolicySpec, type EgressPolicyStatus } from '../../api/egress-policy.ts';
import { type Problem, parseSpec } from '../../api/kind.ts';
import { FLOOR_NAME } from '../../api/meta.ts';
import type { Subject } from '../../compile/emit.ts';
import { type Facts, factsOf } from '../../compile/facts.ts';
import { type FloorState, floorState } from '../../compile/floor.ts';
import type { Owner } from '../../compile/names.ts';
import type { KubeObject } from '../../kube/types.ts';
import { identityRival } from '../identity.ts';
import type { NamespaceCache } from '../namespace-cache.ts';
import { resolveProfile } from '../profiles.ts';
import { readStatus } from './read-status.ts';

export type InForce = NonNullable<EgressPolicyStatus['inForce']>;

export interface Loaded {
  readonly policy: KubeObject;
  readonly owner: Owner;
  readonly generation: number;
  readonly spec:
    | { readonly ok: true; readonly value: EgressPolicySpec }
    | { readonly ok: false; readonly problems: readonly Problem[] };
  /** The older policy that has the same `spec.id`, when there is one. */
  readonly rival: string | undefined;
  readonly subject: { readonly ok: true; readonly value: Subject } | { readonly ok: false; readonly message: string };
  readonly facts: Facts;
  readonly floor: FloorState;
  readonly matchedPods: number;
  readonly previousStatus: EgressPolicyStatus;
  readonly inForce: InForce | undefined;
}

export interface LoadContext {
  readonly cache: NamespaceCache;
  readonly report: CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
}

/** Undefined when there is nothing to do: the policy is gone, or going (its outputs go with it, by owner reference). */
export function load(name: string, { cache, report, isFresh }: LoadContext): Loaded | undefined {
  const policy = cache.policies.get(name);
  const { uid, generation } = policy?.metadata ?? {};
  if (policy === undefined || uid === undefined || generation === undefined) return undefined;
  if (policy.metadata.deletionTimestamp !== undefined) return undefined;
  const spec = parseSpec(EgressPolicy, policy.spec);
  const id = spec.ok ? spec.value.id : undefined;
  const previousStatus = readStatus(policy.status);
  const subject = resolveProfile(cache, spec.ok ? spec.value.profileRef.name : undefined);
  return {
    policy,
    owner: { kind: EgressPolicy.kind, namespace: cache.namespace, name, uid, id },
    generation,
    spec,
    rival: identityRival(policy, cache.policies.list()),
    subject,
    facts: factsOf(report, isFresh),
    floor: floorState(cache.networkPolicies.get(FLOOR_NAME), cache.namespace),
    matchedPods: subject.ok ? countPods(cache, subject.value.serviceAccountName) : 0,
    previousStatus,
    inForce: previousStatus.inForce,
  };
}

function countPods(cache: NamespaceCache, serviceAccountName: string): number {
  return cache.pods.list().filter((pod) => {
    const spec = pod.spec as { readonly serviceAccountName?: string } | undefined;
    const status = pod.status as { readonly phase?: string } | undefined;
    const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    return spec?.serviceAccountName === serviceAccountName && !ended;
  }).length;
}
