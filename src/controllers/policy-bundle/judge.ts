/** What stands in the way of a bundle, told apart: its own validity, its dependencies, what its targets can express, its size. Pure. */
import type { ReasonOf } from '../../api/conditions.ts';
import {
  type BundleCompilation,
  type BundleOutput,
  compileBundle,
  MAX_DATA_BYTES,
} from '../../compile/bundle/compile-bundle.ts';
import { type Inexpressible, TARGETS, type Targets } from '../../compile/bundle/targets.ts';
import type { Finding } from '../finding.ts';
import type { LoadedBundle } from './load.ts';
import type { Source } from './source.ts';

export interface BundleJudgement {
  readonly accepted: Finding<ReasonOf<'Accepted'>>;
  readonly dependencies: Finding<ReasonOf<'DependenciesResolved'>>;
  readonly supported: Finding<ReasonOf<'Supported'>>;
  readonly compiled: Finding<ReasonOf<'Compiled'>>;
  /** Undefined while they are not known. */
  readonly rules: { readonly total: number; readonly inexpressible: readonly Inexpressible[] } | undefined;
  /** Present only when all of the above are True: what is to be in force. */
  readonly result: { readonly output: BundleOutput; readonly digest: string } | undefined;
}

export type JudgeableBundle = Pick<LoadedBundle, 'owner' | 'spec' | 'rival' | 'isCrowdedOut' | 'profile' | 'readable'>;

/** `source` is undefined where it was not looked at: the bundle is refused for what it says itself. */
export function judgeBundle(
  bundle: JudgeableBundle,
  source: Source | undefined,
  table: Targets = TARGETS,
): BundleJudgement {
  const compilation = compile(bundle, source, table);
  const accepted = judgeAccepted(bundle, source);
  const dependencies = judgeDependencies(bundle, source);
  const supported = judgeSupported(bundle, compilation);
  const blocked = [accepted, dependencies, supported].find(({ status }) => status !== 'True');
  const result = blocked === undefined && compilation?.kind === 'Compiled' ? compilation : undefined;
  return {
    accepted,
    dependencies,
    supported,
    compiled: judgeCompiled(compilation, blocked),
    rules:
      source?.kind === 'Rules'
        ? { total: source.rules.length, inexpressible: inexpressibleOf(compilation) }
        : undefined,
    result: result && { output: result.output, digest: result.digest },
  };
}

/** Whether it can be refused without a look at anything but itself and other bundles. */
export function judgeAccepted(
  { spec, rival, isCrowdedOut }: Pick<JudgeableBundle, 'spec' | 'rival' | 'isCrowdedOut'>,
  source: Source | undefined,
): BundleJudgement['accepted'] {
  const invalid = (message: string) => ({ status: 'False', reason: 'InvalidPolicy', message }) as const;
  if (!spec.ok) return invalid(spec.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
  if (rival !== undefined) {
    const message = `spec.id ${spec.value.id} belongs to the older PolicyBundle ${rival}: choose another`;
    return { status: 'False', reason: 'IdentityConflict', message };
  }
  if (isCrowdedOut) {
    const message = `RuntimeProfile ${spec.value.profileRef.name} has as many older PolicyBundles as it can have: delete one, or put these rules into one`;
    return { status: 'False', reason: 'SubjectConflict', message };
  }
  if (source?.kind === 'Invalid') return invalid(source.message);
  return { status: 'True', reason: 'Accepted', message: 'the bundle is valid' };
}

function compile(
  { owner, spec }: JudgeableBundle,
  source: Source | undefined,
  table: Targets,
): BundleCompilation | undefined {
  if (!spec.ok || source?.kind !== 'Rules') return undefined;
  const { profileRef, targets } = spec.value;
  return compileBundle({ owner, profile: profileRef.name, rules: source.rules, targets }, table);
}

function judgeDependencies(
  { spec, readable, profile }: JudgeableBundle,
  source: Source | undefined,
): BundleJudgement['dependencies'] {
  const missing = (message: string) => ({ status: 'False', reason: 'DependencyMissing', message }) as const;
  const unknown = (message: string) => ({ status: 'Unknown', reason: 'DependencyNotReadable', message }) as const;
  if (!readable.ok) return unknown(readable.message);
  if (!spec.ok || source === undefined) {
    return { status: 'Unknown', reason: 'NotEvaluated', message: 'they are looked at once the bundle is accepted' };
  }
  if (!profile.ok) return missing(profile.message);
  if (source.kind === 'Missing') return missing(source.message);
  if (source.kind === 'NotReadable') return unknown(source.message);
  const rules = source.kind === 'Rules' ? source.from : 'the text that was meant is there';
  return {
    status: 'True',
    reason: 'Resolved',
    message: `RuntimeProfile ${profile.value.profile} is there, and ${rules}`,
  };
}

function judgeSupported(
  { spec }: JudgeableBundle,
  compilation: BundleCompilation | undefined,
): BundleJudgement['supported'] {
  if (!spec.ok || compilation === undefined)
    return { status: 'Unknown', reason: 'NotEvaluated', message: 'the rules are not known' };
  const unsaid = inexpressibleOf(compilation);
  if (unsaid.length === 0) {
    const targets = spec.value.targets.toSorted().join(' and ');
    return { status: 'True', reason: 'Supported', message: `${targets} can express every rule` };
  }
  return { status: 'False', reason: 'UnsupportedProvider', message: listed(unsaid) };
}

function judgeCompiled(
  compilation: BundleCompilation | undefined,
  blocked: Finding<string> | undefined,
): BundleJudgement['compiled'] {
  if (blocked === undefined && compilation?.kind === 'Compiled')
    return { status: 'True', reason: 'Compiled', message: `to ConfigMap ${compilation.output.metadata.name}` };
  if (blocked === undefined && compilation?.kind === 'TooLarge') {
    const message = `the output would have ${compilation.bytes} bytes, of ${MAX_DATA_BYTES} that a ConfigMap can have: use patterns, fewer targets, or more bundles`;
    return { status: 'False', reason: 'CompilationFailed', message };
  }
  const message = `not compiled: ${blocked?.reason ?? 'no output'}`;
  // What is not known yet may still turn out well.
  if (blocked?.status === 'Unknown') return { status: 'Unknown', reason: 'CompilationPending', message };
  return { status: 'False', reason: 'CompilationFailed', message };
}

function inexpressibleOf(compilation: BundleCompilation | undefined): readonly Inexpressible[] {
  return compilation?.kind === 'Inexpressible' ? compilation.inexpressible : [];
}

/** A message has an end. */
const NAMED = 5;

function listed(unsaid: readonly Inexpressible[]): string {
  const named = unsaid
    .slice(0, NAMED)
    .map(({ rule, target, need }) => `rule ${rule} needs ${need}, which target ${target} cannot express`)
    .join('; ');
  const more = unsaid.length - NAMED;
  return more > 0 ? `${named}; and ${more} more, see status.rules.inexpressible` : named;
}
