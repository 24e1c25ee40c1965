/** What stands in the way of a policy, told apart: its own validity, the cluster's ability, its dependencies. Pure. */

import type { ReasonOf } from '../../api/conditions.ts';
import { apiServerWords } from '../../compile/api-server.ts';
import { type Compilation, compile, type Missing } from '../../compile/compile.ts';
import type { Limits, PolicyProblem } from '../../compile/validate.ts';
import type { Finding } from '../finding.ts';
import type { Loaded } from './load.ts';

export interface Judgement {
  readonly accepted: Finding<ReasonOf<'Accepted'>>;
  readonly supported: Finding<ReasonOf<'Supported'>>;
  readonly dependencies: Finding<ReasonOf<'DependenciesResolved'>>;
  readonly compiled: Finding<ReasonOf<'Compiled'>>;
  /** What the spec may not say, where its schema holds. */
  readonly problems: readonly PolicyProblem[];
  readonly missing: readonly Missing[];
  /** Present only when all of the above are True: what is to be in force. */
  readonly result: Compilation['result'];
  /** The provider that was judged by, when the inventory is known. */
  readonly provider: { readonly name: string; readonly version?: string; readonly capabilityHash: string } | undefined;
}

/** What a judgement rests on: all of it can be had without a cluster. */
export type Judgeable = Pick<Loaded, 'owner' | 'spec' | 'rival' | 'subject' | 'facts' | 'readable' | 'floor'> &
  Partial<Pick<Loaded, 'pause'>>;

export function judge(loaded: Judgeable, limits: Limits): Judgement {
  const compilation = loaded.spec.ok
    ? compile({
        owner: loaded.owner,
        spec: loaded.spec.value,
        subject: loaded.subject.ok ? loaded.subject.value : undefined,
        facts: loaded.facts,
        limits,
      })
    : undefined;
  const accepted = judgeAccepted(loaded, compilation?.problems ?? []);
  const supported = judgeSupported(compilation);
  const dependencies = judgeDependencies(loaded);
  const blocked = [accepted, supported, dependencies].find((finding) => finding.status !== 'True');
  const result = blocked === undefined ? compilation?.result : undefined;
  return {
    accepted,
    supported,
    dependencies,
    compiled: judgeCompiled(result, blocked),
    problems: compilation?.problems ?? [],
    missing: compilation?.support.state === 'Unsupported' ? compilation.support.missing : [],
    result,
    provider: providerOf(loaded),
  };
}

function judgeAccepted(loaded: Judgeable, problems: readonly PolicyProblem[]): Judgement['accepted'] {
  if (!loaded.spec.ok) {
    const message = loaded.spec.problems.map((problem) => `${problem.path}: ${problem.message}`).join('; ');
    return { status: 'False', reason: 'InvalidPolicy', message };
  }
  if (problems.length > 0)
    return { status: 'False', reason: 'InvalidPolicy', message: problems.map(describe).join('; ') };
  if (loaded.pause?.kind === 'TooLong')
    return { status: 'False', reason: 'InvalidPolicy', message: loaded.pause.message };
  if (loaded.rival !== undefined) {
    const message = `spec.id ${loaded.spec.value.id} belongs to the older EgressPolicy ${loaded.rival}: choose another`;
    return { status: 'False', reason: 'IdentityConflict', message };
  }
  return { status: 'True', reason: 'Accepted', message: 'the policy is valid' };
}

function judgeSupported(compilation: Compilation | undefined): Judgement['supported'] {
  if (compilation === undefined)
    return { status: 'Unknown', reason: 'NotEvaluated', message: 'the spec cannot be read' };
  const { support } = compilation;
  switch (support.state) {
    case 'Supported':
      return {
        status: 'True',
        reason: 'Supported',
        message: `${support.facts.provider.name} declares every capability that the policy needs`,
      };
    case 'Unsupported': {
      const { name, detail } = support.facts.provider;
      // Where there are such words the provider is fine, and its detail says no more than that it runs.
      const words = apiServerWords(support.missing, support.facts);
      const message =
        `provider ${name} cannot do what is asked: ${listed(support.missing)}. ${words ?? detail ?? ''}`.trim();
      return { status: 'False', reason: 'UnsupportedProvider', message };
    }
    case 'Ambiguous':
      return {
        status: 'False',
        reason: 'AmbiguousProvider',
        message: support.facts.provider.detail ?? 'more than one provider was found',
      };
    case 'InventoryMissing':
      return {
        status: 'Unknown',
        reason: 'InventoryMissing',
        message:
          'no capability report can be read: is the inventory running, and may the operator list capabilityreports?',
      };
    case 'InventoryStale': {
      const message = `the capability report of ${support.observedAt} is too old to rely on: is the inventory running?`;
      return { status: 'Unknown', reason: 'InventoryStale', message };
    }
  }
}

function judgeDependencies({ readable, subject, floor }: Judgeable): Judgement['dependencies'] {
  if (!readable.ok) return { status: 'Unknown', reason: 'DependencyNotReadable', message: readable.message };
  if (!subject.ok) return { status: 'False', reason: 'DependencyMissing', message: subject.message };
  if (!floor.ok) return { status: 'False', reason: 'FloorMissing', message: floor.message };
  return {
    status: 'True',
    reason: 'Resolved',
    message: `RuntimeProfile ${subject.value.profile} and the egress floor are there`,
  };
}

function judgeCompiled(result: Compilation['result'], blocked: Finding<string> | undefined): Judgement['compiled'] {
  if (result !== undefined) {
    const names = result.outputs.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
    return { status: 'True', reason: 'Compiled', message: `to ${names}` };
  }
  const message = `not compiled: ${blocked?.reason ?? 'no output'}`;
  // What is not known yet may still turn out well.
  if (blocked?.status === 'Unknown') return { status: 'Unknown', reason: 'CompilationPending', message };
  return { status: 'False', reason: 'CompilationFailed', message };
}

function providerOf({ facts }: Judgeable): Judgement['provider'] {
  if (facts.state !== 'Known') return undefined;
  const { name, version } = facts.provider;
  return { name, ...(version === undefined ? {} : { version }), capabilityHash: facts.capabilityHash };
}

function describe({ rule, index, message }: PolicyProblem): string {
  if (rule === undefined) return message;
  return index === undefined ? `rule ${rule}: ${message}` : `rule ${rule}, destination ${index}: ${message}`;
}

/** A message has an end, and what it would take stands there. */
const NAMED_MISSING = 5;

function listed(missing: readonly Missing[]): string {
  const named = missing.slice(0, NAMED_MISSING).map(describeMissing).join('; ');
  const more = missing.length - NAMED_MISSING;
  return more > 0 ? `${named}; and ${more} more, see status.unsupported` : named;
}

function describeMissing({ rule, index, capability, reason }: Missing): string {
  const where = rule === undefined ? 'the policy' : `rule ${rule}${index === undefined ? '' : ` (item ${index})`}`;
  return `${where} needs ${capability} (${reason})`;
}
