/** The status of a bundle from what was judged and enacted. Pure; the clock is passed in. */
import type { Condition, ConditionType, Reason } from '../../api/conditions.ts';
import { MAX_INEXPRESSIBLE, type PolicyBundleStatus } from '../../api/policy-bundle.ts';
import { buildConditions, summarizeReady } from '../../runtime/conditions.ts';
import { appliedFinding } from '../applied.ts';
import type { Observation } from '../observation.ts';
import type { Enacted } from './enact.ts';
import type { BundleJudgement } from './judge.ts';
import type { LoadedBundle } from './load.ts';
import type { Superseded } from './supersede.ts';

export interface BundleStatusRequest {
  readonly loaded: LoadedBundle;
  readonly judgement: BundleJudgement;
  readonly enacted: Enacted;
  readonly superseded: readonly Superseded[];
  /** What was restored lately and is still worth showing. */
  readonly restoration: string | undefined;
  readonly now: Date;
}

/** What `Ready` needs. The rules may come from a dependency, so that is asked for before what can be expressed. */
const REQUIRED: readonly ConditionType[] = ['Accepted', 'DependenciesResolved', 'Supported', 'Compiled', 'Applied'];

export function bundleStatusOf(request: BundleStatusRequest): PolicyBundleStatus {
  const { loaded, judgement, enacted, superseded } = request;
  const { rules } = judgement;
  return {
    observedGeneration: loaded.generation,
    ...(enacted.output === undefined ? {} : { output: enacted.output }),
    ...(superseded.length === 0 ? {} : { superseded: [...superseded] }),
    ...(rules === undefined ? {} : { rules: { total: rules.total, inexpressible: namesOf(rules) } }),
    conditions: conditionsOf(request),
  };
}

function namesOf({ inexpressible }: NonNullable<BundleJudgement['rules']>): string[] {
  return [...new Set(inexpressible.map(({ rule }) => rule))].slice(0, MAX_INEXPRESSIBLE);
}

function conditionsOf(request: BundleStatusRequest): Condition[] {
  const { loaded, judgement, now } = request;
  const findings: (Observation | undefined)[] = [
    { type: 'Accepted', ...judgement.accepted },
    { type: 'Supported', ...judgement.supported },
    { type: 'DependenciesResolved', ...judgement.dependencies },
    { type: 'Compiled', ...judgement.compiled },
    { type: 'Applied', ...appliedFinding(request.enacted, request.judgement.compiled.message) },
    {
      type: 'Enforced',
      status: 'Unknown',
      reason: 'NotProbed',
      message: 'no consumer has reported the digest that it runs',
    },
    degraded(request),
  ];
  const observed = findings.filter((finding) => finding !== undefined);
  const summary = summarizeReady(observed, REQUIRED);
  const ready =
    summary.status === 'True' ? { ...summary, message: `generation ${loaded.generation} is in force` } : summary;
  return buildConditions({
    previous: loaded.previousStatus.conditions ?? [],
    observed: [...observed, ready],
    generation: loaded.generation,
    now,
  });
}

function degraded(request: BundleStatusRequest): Observation | undefined {
  const { loaded, enacted, judgement, restoration } = request;
  if (enacted.kind === 'Applied')
    return restoration === undefined ? undefined : asDegraded('DriftRestored', restoration);
  if (enacted.kind === 'Refused' && enacted.lost !== undefined) return asDegraded('DriftNotRestorable', enacted.lost);
  const { output } = enacted;
  if (output === undefined) return lostBefore(request);
  if (output.generation !== loaded.generation)
    return asDegraded('KeepingPrevious', `generation ${output.generation} stays in force`);
  // What was written for this very generation is still there; only a refusal makes that worth saying.
  if (enacted.kind === 'Failed') return undefined;
  const message = `what was written for generation ${output.generation} stays in place, but ${judgement.compiled.message}`;
  return asDegraded('KeepingPrevious', message);
}

/** What was lost stays said for as long as the generation that lost it. */
function lostBefore({ loaded, enacted }: BundleStatusRequest): Observation | undefined {
  const { conditions, observedGeneration } = loaded.previousStatus;
  const previous = conditions?.find(({ type, reason }) => type === 'Degraded' && reason === 'DriftNotRestorable');
  const isSaid = enacted.kind === 'Refused' && observedGeneration === loaded.generation;
  return previous !== undefined && isSaid ? asDegraded('DriftNotRestorable', previous.message) : undefined;
}

function asDegraded(reason: Reason, message: string): Observation {
  return { type: 'Degraded', status: 'True', reason, message };
}
