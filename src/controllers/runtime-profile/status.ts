/** The status of a profile from what was judged. Pure; the clock is passed in. */
import type { RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import { buildConditions, summarizeReady } from '../../runtime/conditions.ts';
import type { Observation } from '../observation.ts';
import { admissionOf } from './admission.ts';
import type { ProfileJudgement } from './judge.ts';
import type { LoadedProfile } from './load.ts';
import { workloadsOf } from './workloads.ts';

export function profileStatusOf(
  loaded: LoadedProfile,
  { accepted, dependencies }: ProfileJudgement,
  now: Date,
): RuntimeProfileStatus {
  const { generation, bindings, bundles, previousStatus, pods } = loaded;
  const findings: readonly Observation[] = [
    { type: 'Accepted', ...accepted },
    { type: 'DependenciesResolved', ...dependencies },
  ];
  const summary = summarizeReady(findings, ['Accepted', 'DependenciesResolved']);
  const closed = summary.status === 'True' ? undefined : summary.message;
  const ready = closed === undefined ? { ...summary, message: `generation ${generation} admits pods` } : summary;
  const admission = admissionOf({ generation, closed, bindings, bundles, previous: previousStatus.admission, now });
  return {
    observedGeneration: generation,
    admission,
    workloads: workloadsOf({ pods, claims: undefined, since: admission.since }),
    conditions: buildConditions({
      previous: previousStatus.conditions ?? [],
      observed: [...findings, ready],
      generation,
      now,
    }),
  };
}
