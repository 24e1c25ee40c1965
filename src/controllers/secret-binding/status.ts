/** The status of a SecretBinding from what was judged. Pure; the clock is passed in. */
import type { SecretBindingStatus } from '../../api/secret-binding.ts';
import { buildConditions, summarizeReady, wholeSeconds } from '../../runtime/conditions.ts';
import type { Observation } from '../observation.ts';
import type { BindingJudgement } from './judge.ts';
import type { LoadedBinding } from './load.ts';

export function bindingStatusOf(
  { generation, previousStatus }: Pick<LoadedBinding, 'generation' | 'previousStatus'>,
  { accepted, dependencies, observed }: BindingJudgement,
  now: Date,
): SecretBindingStatus {
  const findings: readonly Observation[] = [
    { type: 'Accepted', ...accepted },
    { type: 'DependenciesResolved', ...dependencies },
  ];
  const summary = summarizeReady(findings, ['Accepted', 'DependenciesResolved']);
  const ready = summary.status === 'True' ? { ...summary, message: `generation ${generation} is in force` } : summary;
  return {
    observedGeneration: generation,
    ...(observed === undefined ? {} : { secret: secretOf(observed.observed, { generation, previousStatus }, now) }),
    conditions: buildConditions({
      previous: previousStatus.conditions ?? [],
      observed: [...findings, ready],
      generation,
      now,
    }),
  };
}

/** When it was found to be so, not when it was last looked at: an unchanged Secret costs no write. */
function secretOf(
  observed: NonNullable<SecretBindingStatus['secret']>['observed'],
  { generation, previousStatus }: Pick<LoadedBinding, 'generation' | 'previousStatus'>,
  now: Date,
): NonNullable<SecretBindingStatus['secret']> {
  const { secret: known, observedGeneration } = previousStatus;
  const stays = observedGeneration === generation && known?.observed === observed;
  return { observed, checkedAt: (stays ? known.checkedAt : undefined) ?? wholeSeconds(now) };
}
