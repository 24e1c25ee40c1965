/** Why an object is refused, one entry per cause, each with the field it is about. Pure. */
import type { Capability } from '../api/capability.ts';
import type { EgressPolicySpec } from '../api/egress-policy.ts';
import type { Problem } from '../api/kind.ts';
import { apiServerWords } from '../compile/api-server.ts';
import type { Missing } from '../compile/compile.ts';
import type { Facts, KnownFacts } from '../compile/facts.ts';
import type { JudgedPolicy } from './judge.ts';
import { wayOut } from './way-out.ts';

export interface Refusal {
  /** The reason that the condition would have. */
  readonly reason: string;
  /** A field path such as `spec.allow[2].to[0]`. */
  readonly path: string;
  readonly rule?: string;
  readonly index?: number;
  readonly capability?: Capability;
  /** Why the capability is missing. */
  readonly capabilityReason?: string;
  readonly message: string;
  readonly wayOut?: string;
}

export function policyRefusals({ spec, judgement }: JudgedPolicy, facts: Facts): readonly Refusal[] {
  if (judgement.result !== undefined) return [];
  return [...notAccepted(spec, judgement), ...notSupported(spec, judgement, facts), ...missingDependency(judgement)];
}

export function problemRefusal(reason: string, { path, message }: Problem): Refusal {
  return { reason, path, message };
}

function notAccepted(
  spec: JudgedPolicy['spec'],
  { accepted, problems }: JudgedPolicy['judgement'],
): readonly Refusal[] {
  if (accepted.status === 'True') return [];
  if (!spec.ok) return spec.problems.map((problem) => problemRefusal(accepted.reason, problem));
  if (problems.length === 0) {
    // A valid spec is refused for what lies outside it: the time, or another policy.
    const path = accepted.reason === 'IdentityConflict' ? 'spec.id' : 'spec.pause.until';
    return [{ reason: accepted.reason, path, message: accepted.message }];
  }
  return problems.map(({ rule, index, message }) => ({
    reason: accepted.reason,
    path: pathOf(spec.value, 'to', { rule, index }),
    ...placeOf({ rule, index }),
    message,
  }));
}

function notSupported(
  spec: JudgedPolicy['spec'],
  { supported, missing }: JudgedPolicy['judgement'],
  facts: Facts,
): readonly Refusal[] {
  // An invalid spec has been told; that its support was not looked at is no second cause.
  if (supported.status === 'True' || !spec.ok) return [];
  if (missing.length === 0 || facts.state !== 'Known')
    return [{ reason: supported.reason, path: 'spec', message: supported.message }];
  const { name } = facts.provider;
  return missing.map((item) => ({
    reason: supported.reason,
    path: pathOf(spec.value, item.capability === 'ports.range' ? 'ports' : 'to', item),
    ...placeOf(item),
    capability: item.capability,
    capabilityReason: item.reason,
    message: `provider ${name} lacks ${item.capability} (${item.reason})${more(item, facts)}`,
    wayOut: wayOut(item, name),
  }));
}

function more(item: Missing, facts: KnownFacts): string {
  const words = apiServerWords([item], facts);
  return words === undefined ? '' : `: ${words}`;
}

function missingDependency({ dependencies }: JudgedPolicy['judgement']): readonly Refusal[] {
  if (dependencies.status === 'True') return [];
  return [{ reason: dependencies.reason, path: 'spec.profileRef.name', message: dependencies.message }];
}

type Place = { readonly rule?: string | undefined; readonly index?: number | undefined };

function placeOf({ rule, index }: Place): Pick<Refusal, 'rule' | 'index'> {
  return { ...(rule === undefined ? {} : { rule }), ...(index === undefined ? {} : { index }) };
}

function pathOf(spec: EgressPolicySpec, list: 'to' | 'ports', { rule, index }: Place | Missing): string {
  const position = spec.allow.findIndex(({ name }) => name === rule);
  if (position < 0) return 'spec';
  return index === undefined ? `spec.allow[${position}]` : `spec.allow[${position}].${list}[${index}]`;
}
