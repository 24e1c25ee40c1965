/** What stands in the way of a SecretBinding. Pure. */
import type { ReasonOf } from '../../api/conditions.ts';
import type { SecretBindingSpec } from '../../api/secret-binding.ts';
import type { Finding } from '../finding.ts';
import type { LoadedBinding } from './load.ts';
import { type Look, type Observed, observedOf } from './secret-keys.ts';

export interface BindingJudgement {
  readonly accepted: Finding<ReasonOf<'Accepted'>>;
  readonly dependencies: Finding<ReasonOf<'DependenciesResolved'>>;
  /** Absent where nothing was looked at. */
  readonly observed?: Observed;
}

export type JudgeableBinding = Pick<LoadedBinding, 'spec' | 'rival' | 'place' | 'profile' | 'readable'>;

export function judgeAccepted({ spec, rival, place }: JudgeableBinding): BindingJudgement['accepted'] {
  if (!spec.ok) {
    const message = spec.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
    return { status: 'False', reason: 'InvalidPolicy', message };
  }
  if (rival !== undefined) {
    const message = `spec.id ${spec.value.id} belongs to the older SecretBinding ${rival}: choose another`;
    return { status: 'False', reason: 'IdentityConflict', message };
  }
  if (place !== undefined) return { status: 'False', reason: 'SubjectConflict', message: place };
  return { status: 'True', reason: 'Accepted', message: 'the binding is valid' };
}

/** `look` is undefined where the Secret was not looked at. */
export function judgeBinding(binding: JudgeableBinding, look: Look | undefined): BindingJudgement {
  const accepted = judgeAccepted(binding);
  if (!binding.spec.ok || look === undefined) {
    const message = 'the Secret is looked at once the binding is accepted';
    return { accepted, dependencies: { status: 'Unknown', reason: 'NotEvaluated', message } };
  }
  const observed = observedOf(look, binding.spec.value.keys);
  return { accepted, dependencies: judgeDependencies(binding, binding.spec.value, { look, observed }), observed };
}

interface Sight {
  readonly look: Look;
  readonly observed: Observed;
}

function judgeDependencies(
  { readable, profile }: JudgeableBinding,
  { secretRef, exposure }: SecretBindingSpec,
  { look, observed }: Sight,
): BindingJudgement['dependencies'] {
  const missing = (message: string) => ({ status: 'False', reason: 'DependencyMissing', message }) as const;
  const unknown = (message: string) => ({ status: 'Unknown', reason: 'DependencyNotReadable', message }) as const;
  if (!readable.ok) return unknown(readable.message);
  if (!profile.ok) return missing(profile.message);
  if (look.kind === 'NotReadable') return unknown(look.message);
  if (look.kind === 'Missing') return missing(`Secret ${secretRef.name} does not exist: create it`);
  const { missingKeys } = observed;
  if (missingKeys.length > 0) {
    const what = missingKeys.length === 1 ? 'key' : 'keys';
    return missing(`Secret ${secretRef.name} has no ${what} ${missingKeys.join(', ')}: add what is missing`);
  }
  const who = exposure === 'AgentReadable' ? 'pods of the profile may read' : 'a proxy alone may hold';
  return { status: 'True', reason: 'Resolved', message: `Secret ${secretRef.name} has the keys, which ${who}` };
}
