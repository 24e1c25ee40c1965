/**
 * Compilation: spec and facts in, objects or a typed refusal out. Pure and total: no I/O, no clock, no throw.
 *
 * Validity and support are judged independently, so that status can tell both truths; objects come only when the policy is
 * valid, its subject known and every capability it needs Supported. There is no partial output.
 */
import type { Capability } from '../api/capability.ts';
import type { EgressPolicySpec } from '../api/egress-policy.ts';
import { apiServerGap } from './api-server.ts';
import { digest } from './canonical.ts';
import type { Emitter, Subject } from './emit.ts';
import { emitterOf } from './emitters.ts';
import type { Facts, KnownFacts } from './facts.ts';
import type { DesiredObject, Owner } from './names.ts';
import { lackOf } from './providers/row.ts';
import { providerRow } from './providers.ts';
import { type Requirement, requirementsOf } from './requirements.ts';
import { type Limits, type PolicyProblem, validateSpec } from './validate.ts';

export interface CompileRequest {
  readonly owner: Owner;
  readonly spec: EgressPolicySpec;
  /** Undefined while the profile is missing. */
  readonly subject: Subject | undefined;
  readonly facts: Facts;
  readonly limits: Limits;
}

export interface Missing {
  readonly rule?: string;
  readonly index?: number;
  readonly capability: Capability;
  readonly reason: string;
}

export type Support =
  | { readonly state: 'Supported'; readonly facts: KnownFacts }
  | { readonly state: 'Unsupported'; readonly facts: KnownFacts; readonly missing: readonly Missing[] }
  | { readonly state: 'Ambiguous'; readonly facts: KnownFacts }
  | { readonly state: 'InventoryMissing' }
  | { readonly state: 'InventoryStale'; readonly observedAt: string };

export interface Compilation {
  readonly problems: readonly PolicyProblem[];
  readonly support: Support;
  /** Present only when nothing stands in the way. `digest` is over what is enforced: the outputs' kinds, names and specs. */
  readonly result?: { readonly outputs: readonly DesiredObject[]; readonly digest: string };
}

export function compile(request: CompileRequest): Compilation {
  const resolver = request.facts.state === 'Known' ? request.facts.dns : undefined;
  const problems = validateSpec(request.spec, { ...request.limits, resolver });
  const support = supportOf(requirementsOf(request.spec), request.facts);
  const { subject } = request;
  if (problems.length > 0 || support.state !== 'Supported' || subject === undefined) return { problems, support };
  const emit: Emitter | undefined = emitterOf(support.facts.provider.name);
  if (emit === undefined) {
    const missing: Missing[] = [{ capability: 'isolation', reason: 'NoEmitter' }];
    return { problems, support: { state: 'Unsupported', facts: support.facts, missing } };
  }
  const outputs = emit({ owner: request.owner, spec: request.spec, subject, facts: support.facts });
  return { problems, support, result: { outputs, digest: outputsDigest(outputs) } };
}

/** A digest over what is enforced: independent of labels, owners and anything the API server adds. */
export function outputsDigest(
  outputs: readonly { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec?: unknown }[],
): string {
  return digest(outputs.map(({ kind, metadata, spec }) => ({ kind, name: metadata.name, spec })));
}

function supportOf(requirements: readonly Requirement[], facts: Facts): Support {
  switch (facts.state) {
    case 'Missing':
      return { state: 'InventoryMissing' };
    case 'Stale':
      return { state: 'InventoryStale', observedAt: facts.observedAt };
    case 'Known':
      return knownSupport(requirements, facts);
  }
}

function knownSupport(requirements: readonly Requirement[], facts: KnownFacts): Support {
  if (facts.provider.name === 'ambiguous') return { state: 'Ambiguous', facts };
  const missing = requirements.flatMap((need): Missing[] => {
    const reason = missingReason(need, facts);
    const { capability, rule, index } = need;
    if (reason === undefined) return [];
    return [{ capability, reason, ...(rule === undefined ? {} : { rule }), ...(index === undefined ? {} : { index }) }];
  });
  return missing.length === 0 ? { state: 'Supported', facts } : { state: 'Unsupported', facts, missing };
}

/** Why the need is not met; undefined when it is. */
function missingReason(need: Requirement, facts: KnownFacts): string | undefined {
  const known = facts.capabilities.get(need.capability);
  // A capability that the report does not name is not there: unknown means closed.
  if (known?.state !== 'Supported') return known?.reason ?? 'NotReported';
  const row = providerRow(facts.provider.name);
  if (row === undefined) return 'NoEmitter';
  // A report may be wrong, or of a newer inventory: what the provider has never had cannot be emitted for it.
  const lack = lackOf(row, need.capability, facts.provider.version);
  if (lack !== undefined) return lack;
  const hidden = (label: string) => row.unselectableLabels.some((pattern) => pattern.test(label));
  if (need.labels?.some(hidden)) return 'LabelNotSelectable';
  return factGap(need.capability, facts);
}

/** A report may call a capability Supported and still lack the fact that an emitter needs, or have one that it must not use. */
function factGap(capability: Capability, facts: KnownFacts): string | undefined {
  if (capability === 'dns.clusterResolver' && facts.dns === undefined) return 'ResolverUnknown';
  if (capability !== 'kubeAPIServer') return undefined;
  return apiServerGap(facts.provider.name, facts.apiServerAddresses);
}
