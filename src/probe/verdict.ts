/** From what the canaries saw to a verdict per attempt and per capability. Pure. ADR 0014. */
import { CAPABILITIES, type Capability, type EnforcementResult } from '../api/capability.ts';
import { inconclusive, type Judged, judgeCheck, type Runs } from './judge-check.ts';
import { type Check, isCheck, type MissingTarget, type Plan } from './plan.ts';

export interface Row extends Judged {
  readonly capability: Capability;
  readonly what: string;
  readonly expect: Check['expect'] | undefined;
  readonly weight: Check['weight'];
}

export interface CapabilityVerdict {
  readonly capability: Capability;
  readonly result: EnforcementResult;
  readonly reason: string;
  readonly message: string;
  /** The number of nodes that it was tried on. */
  readonly nodes: number;
}

export interface RunVerdict {
  readonly rows: readonly Row[];
  readonly capabilities: readonly CapabilityVerdict[];
}

export interface Evidence extends Runs {
  readonly plan: Plan;
  readonly checks: readonly (Check | MissingTarget)[];
}

export function verdictOf(evidence: Evidence): RunVerdict {
  const rows = evidence.checks.map((item) => rowOf(item, evidence));
  return { rows, capabilities: CAPABILITIES.map((capability) => capabilityVerdict(capability, rows, evidence)) };
}

function rowOf(item: Check | MissingTarget, evidence: Evidence): Row {
  const { capability } = item;
  if (!isCheck(item)) {
    const what = `needs ${item.gap}`;
    return { capability, what, expect: undefined, weight: 'Required', ...inconclusive('NoTarget', 'not tried') };
  }
  const { what, expect, weight } = item;
  return { capability, what, expect, weight, ...judgeCheck(item, evidence) };
}

function capabilityVerdict(capability: Capability, rows: readonly Row[], evidence: Evidence): CapabilityVerdict {
  const own = rows.filter((row) => row.capability === capability);
  const nodes = nodesOf(capability, evidence);
  const failed = own.find(({ result }) => result === 'Fail');
  if (failed !== undefined) return { capability, nodes, result: 'Failed', ...about(failed) };
  const withheld = evidence.plan.withheld.find((item) => item.capability === capability);
  if (withheld !== undefined) {
    const { result, reason, message } = withheld;
    return { capability, nodes: 0, result, reason, message };
  }
  const open = own.find(({ result, weight }) => result === 'Inconclusive' && weight === 'Required');
  if (open !== undefined) return { capability, nodes, result: 'Inconclusive', ...about(open) };
  return { capability, nodes, ...bothKinds(capability, own, rows) };
}

/** An allow that works and a deny that blocks. For isolation, the allow of any other assertion shows that not all is shut. */
function bothKinds(capability: Capability, own: readonly Row[], all: readonly Row[]) {
  const passed = (rows: readonly Row[], expect: Row['expect']) =>
    rows.filter((row) => row.result === 'Pass' && row.expect === expect).length;
  const through = passed(capability === 'isolation' ? all : own, 'Through');
  const blocked = passed(own, 'Blocked');
  if (through === 0 || blocked === 0) {
    const message = `nothing ${through === 0 ? 'that is allowed got through' : 'that is denied was blocked'} in this run`;
    return { result: 'Inconclusive', reason: 'OneSided', message } as const;
  }
  const message = `${through} of what is allowed got through, ${blocked} of what is denied did not`;
  return { result: 'Verified', reason: 'Proven', message } as const;
}

function about({ what, expect, seen, reason }: Row): { readonly reason: string; readonly message: string } {
  if (expect === undefined) return { reason, message: what };
  return { reason, message: `${what}: expected ${expect === 'Through' ? 'an answer' : 'none'}, seen: ${seen}` };
}

function nodesOf(capability: Capability, { checks, runs }: Evidence): number {
  const pods = new Set(checks.filter(isCheck).flatMap((check) => (check.capability === capability ? check.pods : [])));
  const nodes = [...pods].flatMap((name) => {
    const run = runs.get(name);
    return run?.observation === undefined ? [] : (run.node ?? []);
  });
  return new Set(nodes).size;
}
