/** What stands in the way of a profile: its own validity, and what it requires. Pure. */
import type { ReasonOf } from '../../api/conditions.ts';
import type { Finding } from '../finding.ts';
import { judgeEgress } from './egress.ts';
import type { LoadedProfile } from './load.ts';

export interface ProfileJudgement {
  readonly accepted: Finding<ReasonOf<'Accepted'>>;
  readonly dependencies: Finding<ReasonOf<'DependenciesResolved'>>;
}

export type JudgeableProfile = Omit<LoadedProfile, 'profile' | 'pods' | 'bindings' | 'bundles'>;

export function judgeProfile(loaded: JudgeableProfile): ProfileJudgement {
  const { problem } = loaded;
  const accepted: ProfileJudgement['accepted'] =
    problem === undefined
      ? { status: 'True', reason: 'Accepted', message: 'the profile is valid' }
      : { status: 'False', ...problem };
  return { accepted, dependencies: judgeDependencies(loaded) };
}

function judgeDependencies(loaded: JudgeableProfile): ProfileJudgement['dependencies'] {
  const { spec, readable, name, generation, floor, policies, previousStatus } = loaded;
  if (!spec.ok) return { status: 'Unknown', reason: 'NotEvaluated', message: 'the spec cannot be read' };
  if (!readable.ok) return { status: 'Unknown', reason: 'DependencyNotReadable', message: readable.message };
  const runtimeClass = judgeRuntimeClass(spec.value.runtimeClassName, loaded);
  if (runtimeClass !== undefined) return runtimeClass;
  // Without any policy the floor is all that denies; with one, the policy itself is not Ready without a floor.
  if (spec.value.requires.egress === 'None' && !floor.ok)
    return { status: 'False', reason: 'FloorMissing', message: floor.message };
  const { admission } = previousStatus;
  const wasOpen = admission?.generation === generation && admission.open;
  return judgeEgress(spec.value.requires.egress, policies, { profile: name, wasOpen });
}

/** Undefined when nothing stands in the way. */
function judgeRuntimeClass(
  name: string | undefined,
  { runtimeClass }: JudgeableProfile,
): ProfileJudgement['dependencies'] | undefined {
  const unknown = (message: string) => ({ status: 'Unknown', reason: 'DependencyNotReadable', message }) as const;
  if (name === undefined) return undefined;
  switch (runtimeClass) {
    case 'Present':
      return undefined;
    case 'Missing':
      return {
        status: 'False',
        reason: 'DependencyMissing',
        message: `RuntimeClass ${name} does not exist: create it`,
      };
    case 'NotReadable':
      return unknown(`the inventory may not get RuntimeClass ${name}: list it in runtimeClasses of agentplane-cluster`);
    case 'Unknown':
      return unknown(
        `no recent capability report tells of RuntimeClass ${name}: list it in inventory.runtimeClasses; is the inventory running?`,
      );
  }
}
