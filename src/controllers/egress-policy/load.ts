/** Gathers what a reconcile of one EgressPolicy needs, from caches only: no read goes to the API server. */
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import { EgressPolicy, type EgressPolicySpec, type EgressPolicyStatus } from '../../api/egress-policy.ts';
import type { ProofFinding } from '../../api/enforcement.ts';
import { type Problem, parseSpec } from '../../api/kind.ts';
import { FLOOR_NAME } from '../../api/meta.ts';
import type { Subject } from '../../compile/emit.ts';
import { type Facts, factsOf } from '../../compile/facts.ts';
import { type FloorState, floorState } from '../../compile/floor.ts';
import type { Owner } from '../../compile/names.ts';
import type { Selection } from '../../compile/providers/row.ts';
import { providerRow } from '../../compile/providers.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { governedPods } from '../governed-pods.ts';
import { identityRival } from '../identity.ts';
import { type NamespaceCache, outputInformers } from '../namespace-cache.ts';
import { resolveProfile } from '../profiles.ts';
import { type Readability, readability } from '../readability.ts';
import { type Pause, pauseOf } from './pause.ts';
import { judgeProof } from './proof.ts';
import { type InForce, readStatus, recordedIn } from './read-status.ts';

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
  readonly proof: ProofFinding;
  /** Whether the caches that the judgement rests on still follow the API server. Pods are left out: nothing is written by them. */
  readonly readable: Readability;
  readonly floor: FloorState;
  readonly matchedPods: number;
  readonly previousStatus: EgressPolicyStatus;
  /** What the status recorded as put in force. Whether it still is has to be looked at. */
  readonly recorded: InForce | undefined;
  readonly pause: Pause | undefined;
}

export interface LoadContext {
  readonly cache: NamespaceCache;
  readonly report: CapabilityReportStatus | undefined;
  readonly isFresh: (observedAt: string) => boolean;
  readonly isCurrent: (informer: Informer) => boolean;
  readonly now: Date;
}

/** Undefined when there is nothing to do: the policy is gone, or going (its outputs go with it, by owner reference). */
export function load(name: string, { cache, report, isFresh, isCurrent, now }: LoadContext): Loaded | undefined {
  const policy = cache.policies.get(name);
  const { uid, generation } = policy?.metadata ?? {};
  if (policy === undefined || uid === undefined || generation === undefined) return undefined;
  if (policy.metadata.deletionTimestamp !== undefined) return undefined;
  const spec = parseSpec(EgressPolicy, policy.spec);
  const id = spec.ok ? spec.value.id : undefined;
  const previousStatus = readStatus(policy.status);
  const facts = factsOf(report, isFresh);
  const subject = resolveProfile(cache, spec.ok ? spec.value.profileRef.name : undefined);
  return {
    policy,
    owner: { kind: EgressPolicy.kind, namespace: cache.namespace, name, uid, id },
    generation,
    spec,
    rival: identityRival(policy, cache.policies.list()),
    subject,
    facts,
    proof: judgeProof(spec.ok ? spec.value : undefined, { report, facts, now }),
    readable: readability([cache.policies, cache.profiles, ...outputInformers(cache)], isCurrent),
    floor: floorState(cache.networkPolicies.get(FLOOR_NAME), cache.namespace, selectionOf(facts)),
    matchedPods: subject.ok ? governedPods(cache, subject.value.serviceAccountName).length : 0,
    previousStatus,
    recorded: recordedIn(previousStatus),
    pause: spec.ok ? pauseOf(spec.value.pause, policy, now) : undefined,
  };
}

/** Outputs may be of either selection while the provider is not known: the stricter one counts. */
function selectionOf(facts: Facts): Selection {
  const row = facts.state === 'Known' ? providerRow(facts.provider.name) : undefined;
  return row?.selectsBy ?? 'account';
}
