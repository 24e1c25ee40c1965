/** The status of a policy from what was judged and enacted. Pure; the clock is passed in. */

import type { Condition, ConditionType, Reason, ReasonOf } from '../../api/conditions.ts';
import type { EgressPolicyStatus } from '../../api/egress-policy.ts';
import { buildConditions, summarizeReady } from '../../runtime/conditions.ts';
import { appliedFinding } from '../applied.ts';
import { type Drift, describeDrift } from '../drift.ts';
import type { Finding } from '../finding.ts';
import type { Observation } from '../observation.ts';
import type { Enacted } from './enact.ts';
import { DRIFT_VISIBLE_MS, type Restored } from './fights.ts';
import type { Judgement } from './judge.ts';
import type { Loaded } from './load.ts';
import { enforcedFinding } from './proof.ts';

/** The most entries that `status.unsupported` takes; the schema's bound. */
const MAX_UNSUPPORTED = 64;

/** A restored drift that is still worth showing. */
export interface Restoration {
  readonly message: string;
  readonly agoMs: number;
}

export interface StatusRequest {
  readonly loaded: Loaded;
  readonly judgement: Judgement;
  readonly enacted: Enacted;
  readonly exclusive: Finding<ReasonOf<'Exclusive'>>;
  readonly restoration: Restoration | undefined;
  readonly now: Date;
}

export function statusOf(request: StatusRequest): EgressPolicyStatus {
  const { loaded, judgement, enacted } = request;
  const { missing, provider } = judgement;
  return {
    observedGeneration: loaded.generation,
    ...(enacted.inForce === undefined ? lastApplied(request) : { inForce: enacted.inForce }),
    ...(provider === undefined ? {} : { provider }),
    ...(missing.length === 0 ? {} : { unsupported: missing.slice(0, MAX_UNSUPPORTED) }),
    matchedPods: loaded.matchedPods,
    conditions: conditionsOf(request),
  };
}

/** What is said to be in force must be so. What had been is kept beside it, or a later look could not tell drift from a new spec. */
function lastApplied({ loaded, enacted }: StatusRequest): Pick<EgressPolicyStatus, 'lastApplied'> {
  const isUncertain = enacted.kind === 'Failed' || !loaded.readable.ok;
  return isUncertain && loaded.recorded !== undefined ? { lastApplied: loaded.recorded } : {};
}

function conditionsOf(request: StatusRequest): Condition[] {
  const { loaded, judgement, enacted, now } = request;
  const findings: (Observation | undefined)[] = [
    { type: 'Accepted', ...judgement.accepted },
    { type: 'Supported', ...judgement.supported },
    { type: 'DependenciesResolved', ...judgement.dependencies },
    { type: 'Compiled', ...judgement.compiled },
    { type: 'Applied', ...appliedFinding(request.enacted, request.judgement.compiled.message) },
    { type: 'Enforced', ...enforcedFinding(loaded.proof, enacted.kind === 'Applied') },
    { type: 'Exclusive', ...request.exclusive },
    degraded(request),
  ];
  const observed = findings.filter((finding) => finding !== undefined);
  const required = requiredTypes(loaded);
  const summary = summarizeReady(observed, required);
  const ready =
    summary.status === 'True' ? { ...summary, message: `generation ${loaded.generation} is in force` } : summary;
  return buildConditions({
    previous: loaded.previousStatus.conditions ?? [],
    observed: [...observed, ready],
    generation: loaded.generation,
    now,
  });
}

/** What `Ready` needs, in the order in which its reason is taken. Proof is needed only where the policy asks for it. */
function requiredTypes({ spec }: Loaded): readonly ConditionType[] {
  const proof: readonly ConditionType[] = spec.ok && spec.value.require.verification === 'Probed' ? ['Enforced'] : [];
  return ['Accepted', 'Supported', 'DependenciesResolved', 'Compiled', 'Applied', ...proof, 'Exclusive'];
}

function degraded(request: StatusRequest): Observation | undefined {
  const { loaded, enacted, restoration } = request;
  if (enacted.kind === 'Applied') return restoration && asDegraded('DriftRestored', restoration.message);
  if (enacted.kind === 'Failed') {
    const { reason, message } = enacted.failure;
    if (reason === 'DriftAccepted' || reason === 'ContestedField') return asDegraded(reason, message);
  }
  if (enacted.kind === 'Refused' && enacted.lost !== undefined) {
    const rest = loaded.floor.ok ? 'only the egress floor is in force' : loaded.floor.message;
    return asDegraded('DriftNotRestorable', `${enacted.lost}: ${rest}`);
  }
  const { inForce } = enacted;
  if (inForce === undefined) return lostBefore(request);
  if (inForce.generation !== loaded.generation)
    return asDegraded('KeepingPrevious', `generation ${inForce.generation} stays in force`);
  // What was applied for this very generation is still there; only a refusal makes that worth saying.
  if (enacted.kind === 'Failed') return undefined;
  const message = `what was applied for generation ${inForce.generation} stays in place, but ${request.judgement.compiled.message}`;
  return asDegraded(request.judgement.supported.status === 'True' ? 'KeepingPrevious' : 'ProviderLost', message);
}

/** What was lost stays said for as long as the generation that lost it: nothing else tells why only the floor is in force. */
function lostBefore({ loaded }: StatusRequest): Observation | undefined {
  const { conditions, observedGeneration } = loaded.previousStatus;
  const previous = conditions?.find(({ type, reason }) => type === 'Degraded' && reason === 'DriftNotRestorable');
  if (previous === undefined || observedGeneration !== loaded.generation) return undefined;
  return asDegraded('DriftNotRestorable', previous.message);
}

/** The latest drift that was restored. After a restart only the status remembers it, within its generation. */
export function restorationOf(loaded: Loaded, latest: Restored | undefined, now: Date): Restoration | undefined {
  if (latest !== undefined) return { message: describeRestored(latest.drift), agoMs: latest.agoMs };
  const { conditions, observedGeneration } = loaded.previousStatus;
  const previous = conditions?.find(({ type, reason }) => type === 'Degraded' && reason === 'DriftRestored');
  if (previous === undefined || observedGeneration !== loaded.generation) return undefined;
  const agoMs = now.getTime() - Date.parse(previous.lastTransitionTime);
  return agoMs < DRIFT_VISIBLE_MS ? { message: previous.message, agoMs } : undefined;
}

export function describeRestored(drift: Drift): string {
  return `${describeDrift(drift)}; it has been restored`;
}

function asDegraded(reason: Reason, message: string): Observation {
  return { type: 'Degraded', status: 'True', reason, message };
}
