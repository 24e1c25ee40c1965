/** The consumer's rule for what the probe has shown: about which cluster and compiler, for how long, and what a policy may claim by it. */
import type { Capability } from './capability.ts';
import type { CapabilityReportStatus, Enforcement, Probed } from './capability-report.ts';
import type { ConditionStatus, ReasonOf } from './conditions.ts';

/** What a probe of this cluster, with this compiler, would be about now; undefined while the report says too little. */
export function probedNow(report: CapabilityReportStatus | undefined, compiler: string): Probed | undefined {
  if (report?.provider === undefined || report.capabilityHash === undefined) return undefined;
  const { name, version, configHash } = report.provider;
  return {
    provider: name,
    ...(version === undefined ? {} : { version }),
    ...(configHash === undefined ? {} : { configHash }),
    capabilityHash: report.capabilityHash,
    compiler,
  };
}

/** The first thing in which the two differ, in words; undefined when they are about the same. */
export function differsIn(one: Probed, other: Probed): string | undefined {
  if (one.provider !== other.provider) return 'provider';
  if (one.version !== other.version) return 'version of the provider';
  if (one.configHash !== other.configHash) return 'configuration of the provider';
  if (one.capabilityHash !== other.capabilityHash) return 'capability report';
  return one.compiler === other.compiler ? undefined : 'version of AgentPlane';
}

/** Whether the result still counts. */
export function isCurrent({ expiresAt }: Enforcement, now: Date): boolean {
  return Date.parse(expiresAt) > now.getTime();
}

export interface ProofRequest {
  readonly report: CapabilityReportStatus | undefined;
  /** What the policy needs. */
  readonly capabilities: readonly Capability[];
  readonly compiler: string;
  readonly now: Date;
}

export interface ProofFinding {
  readonly status: ConditionStatus;
  readonly reason: ReasonOf<'Enforced'>;
  readonly message: string;
}

const unknown = (reason: ProofFinding['reason'], message: string): ProofFinding => ({
  status: 'Unknown',
  reason,
  message,
});

/** True when every capability is Verified and current, about this very cluster and compiler. */
export function proofOf({ report, capabilities, compiler, now }: ProofRequest): ProofFinding {
  const current = probedNow(report, compiler);
  if (report?.probed === undefined || current === undefined)
    return unknown('NotProbed', 'no probe has shown that packets are denied');
  const difference = differsIn(report.probed, current);
  if (difference !== undefined)
    return unknown('NotProbed', `the last probe was of another ${difference}: it says nothing about the present one`);
  const results = new Map(report.enforcement?.map((item) => [item.capability, item]));
  const found = [...new Set(capabilities)].map((capability) => ({ capability, item: results.get(capability) }));
  return judgeAll(found, now);
}

interface Found {
  readonly capability: Capability;
  readonly item: Enforcement | undefined;
}

function judgeAll(found: readonly Found[], now: Date): ProofFinding {
  const those = (result: Enforcement['result'] | undefined, current = true) =>
    found.filter(({ item }) => item?.result === result && (item === undefined || isCurrent(item, now) === current));
  const failed = those('Failed');
  if (failed.length > 0) return { status: 'False', reason: 'ProbeFailed', message: told(failed) };
  const expired = found.filter(({ item }) => item !== undefined && !isCurrent(item, now));
  if (expired.length > 0)
    return unknown('ProbeExpired', `the last probe counts no longer, of ${named(expired)}: is the probe running?`);
  const open = those('Inconclusive');
  if (open.length > 0) return unknown('ProbeInconclusive', told(open));
  const untried = [...those(undefined), ...those('Unsupported')];
  if (untried.length > 0) return unknown('NotProbed', `not tried on this cluster: ${named(untried)}`);
  return { status: 'True', reason: 'Probed', message: `packets have shown it, of ${named(found)}` };
}

function named(found: readonly Found[]): string {
  return found.map(({ capability }) => capability).join(', ');
}

function told(found: readonly Found[]): string {
  return found.map(({ capability, item }) => `${capability} (${item?.reason}: ${item?.message})`).join('; ');
}
