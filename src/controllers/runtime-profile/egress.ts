/** Whether what a profile requires of its EgressPolicies holds, by what their statuses say of their newest specs. Pure. */
import type { ReasonOf } from '../../api/conditions.ts';
import type { RuntimeProfileSpec } from '../../api/runtime-profile.ts';
import { compareText } from '../../compile/canonical.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Finding } from '../finding.ts';
import { conditionOf, isInForce, isJudged } from '../observable.ts';

type Requirement = RuntimeProfileSpec['requires']['egress'];

/**
 * A newest spec that is not judged yet changes nothing: it is judged in a moment, and until then the API server itself keeps pods from
 * relying on it. `wasOpen`: whether this generation of the profile was open before.
 */
export function judgeEgress(
  requirement: Requirement,
  policies: readonly KubeObject[],
  { profile, wasOpen }: { readonly profile: string; readonly wasOpen: boolean },
): Finding<ReasonOf<'DependenciesResolved'>> {
  if (requirement === 'None') return resolved('no EgressPolicy is required: the egress floor is enough');
  const live = policies
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  const [first] = live;
  if (first === undefined) {
    return missing(`no EgressPolicy names RuntimeProfile ${profile}: create one, or set spec.requires.egress to None`);
  }
  const judged = live.filter(isJudged);
  const problem = judged.map((policy) => problemOf(requirement, policy)).find((text) => text !== undefined);
  if (problem !== undefined) return missing(problem);
  if (judged.length === 0 && !wasOpen) {
    return { status: 'Unknown', reason: 'NotEvaluated', message: `${describe(first)} has not been judged yet` };
  }
  return resolved(requirement === 'Enforced' ? 'its egress is in force and proven' : 'its egress is in force');
}

function problemOf(requirement: Requirement, policy: KubeObject): string | undefined {
  if (!isInForce(policy)) {
    return `${describe(policy)} is not in force: ${conditionOf(policy, 'Ready')?.reason ?? 'NotEvaluated'}`;
  }
  const enforced = conditionOf(policy, 'Enforced');
  if (requirement !== 'Enforced' || enforced?.status === 'True') return undefined;
  return `${describe(policy)} is in force, but not proven: ${enforced?.reason ?? 'NotProbed'}`;
}

function describe({ metadata }: KubeObject): string {
  return `EgressPolicy ${metadata.name} generation ${metadata.generation}`;
}

function missing(message: string): Finding<'DependencyMissing'> {
  return { status: 'False', reason: 'DependencyMissing', message };
}

function resolved(message: string): Finding<'Resolved'> {
  return { status: 'True', reason: 'Resolved', message };
}
