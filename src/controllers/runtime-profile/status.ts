/** The status of a profile from what was judged. Pure; the clock is passed in. */
import { WORKLOADS_FINALIZER } from '../../api/meta.ts';
import type { RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import { buildConditions, summarizeReady } from '../../runtime/conditions.ts';
import type { Observation } from '../observation.ts';
import { admissionOf } from './admission.ts';
import { type Deletion, timeoutSecondsOf } from './deletion.ts';
import type { ProfileJudgement } from './judge.ts';
import type { LoadedProfile } from './load.ts';
import { workloadsOf } from './workloads.ts';

export interface ProfileStatusRequest {
  readonly loaded: LoadedProfile;
  readonly judgement: ProfileJudgement;
  readonly deletion: Deletion;
  /** Why the finalizer could not be put on, or taken off. */
  readonly obstacle: string | undefined;
  readonly now: Date;
}

export function profileStatusOf(request: ProfileStatusRequest): RuntimeProfileStatus {
  const { loaded, deletion, now } = request;
  const { generation, bindings, bundles, previousStatus, pods, claims } = loaded;
  const findings = findingsOf(request);
  const ready = readyOf(findings, request);
  const closed = ready.status === 'True' ? undefined : ready.message;
  const admission = admissionOf({ generation, closed, bindings, bundles, previous: previousStatus.admission, now });
  const remaining = 'remaining' in deletion ? deletion.remaining : undefined;
  return {
    observedGeneration: generation,
    admission,
    workloads: workloadsOf({ pods, claims, since: admission.since, remaining }),
    conditions: buildConditions({
      previous: previousStatus.conditions ?? [],
      observed: [...findings, ...degraded(request), ready],
      generation,
      now,
    }),
  };
}

function findingsOf({ judgement, deletion, obstacle }: ProfileStatusRequest): readonly Observation[] {
  const { accepted, dependencies } = judgement;
  const notHeld = deletion.kind === 'None' ? obstacle : undefined;
  return [
    { type: 'Accepted', ...accepted },
    { type: 'DependenciesResolved', ...dependencies },
    // Only while it is so: nothing else is applied for a profile.
    ...(notHeld === undefined
      ? []
      : [{ type: 'Applied', status: 'False', reason: 'Forbidden', message: notHeld } as const]),
  ];
}

function readyOf(findings: readonly Observation[], { loaded, deletion, obstacle }: ProfileStatusRequest) {
  if (deletion.kind !== 'None') {
    const message = `RuntimeProfile ${loaded.name} is being deleted${describeWait(deletion, obstacle)}`;
    return { type: 'Ready', status: 'False', reason: 'Deleting', message } as const;
  }
  const summary = summarizeReady(
    findings,
    findings.map(({ type }) => type),
  );
  return summary.status === 'True' ? { ...summary, message: `generation ${loaded.generation} admits pods` } : summary;
}

/** Without numbers and names: they change, and stand beside it. */
function describeWait(deletion: Deletion, obstacle: string | undefined): string {
  if (obstacle !== undefined) return `, and cannot be let go: ${obstacle}`;
  const waits = 'remaining' in deletion && deletion.remaining.length > 0;
  return waits ? ', and waits for what status.workloads.remaining lists' : '';
}

const BY_HAND = `remove the finalizer ${WORKLOADS_FINALIZER} by hand, which docs/operations/finalizers.md describes, with what it leaves ungoverned`;

function degraded({ loaded, deletion, obstacle }: ProfileStatusRequest): readonly Observation[] {
  const asDegraded = (message: string): readonly Observation[] => [
    { type: 'Degraded', status: 'True', reason: 'CleanupRequiresOperatorAction', message },
  ];
  if (deletion.kind === 'Stuck') {
    return asDegraded(
      `this operator may not let the profile go: set admission.enabled in the chart's values, or ${BY_HAND}`,
    );
  }
  if (deletion.kind !== 'Held' || deletion.overdueInMs > 0) return [];
  const what = obstacle ?? 'delete the pods and PersistentVolumeClaims that status.workloads.remaining lists';
  return asDegraded(
    `the deletion has waited for more than ${timeoutSecondsOf(loaded.profile)} seconds: ${what}; or ${BY_HAND}`,
  );
}
