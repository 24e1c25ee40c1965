/** One attempt: what its canaries saw of it, beside what the control saw. Pure. */
import type { Capability } from '../api/capability.ts';
import type { Observation, Seen } from './observation.ts';
import type { Check } from './plan.ts';
import { podsOf } from './subjects.ts';

/** The first moments of a pod. */
export const EARLY_MS = 100;

/** What came of one canary's pod. */
export interface CanaryRun {
  readonly node?: string;
  /** Absent when it did not run to its end; `problem` says why. */
  readonly observation?: Observation;
  /** As they were given, in the order of `observation.seen`. */
  readonly attempts: readonly string[];
  readonly problem?: string;
}

export interface Judged {
  /** In words. */
  readonly seen: string;
  readonly result: 'Pass' | 'Fail' | 'Inconclusive';
  readonly reason: string;
}

export interface Runs {
  /** By the name of the pod. */
  readonly runs: ReadonlyMap<string, CanaryRun>;
  /** Policies that could not be written, by capability, and why. */
  readonly unwritten: ReadonlyMap<Capability, string>;
}

export function judgeCheck(check: Check, { runs, unwritten }: Runs): Judged {
  const refusal = unwritten.get(check.capability);
  if (refusal !== undefined) return inconclusive('PolicyNotWritten', refusal);
  const sight = sightOf(check, runs);
  return leak(check, sight) ?? lack(check, sight) ?? outcome(check, sight);
}

interface Sight {
  readonly canaries: readonly CanaryRun[];
  /** What those of them saw that ran. */
  readonly seen: readonly Seen[];
  /** One that got through, or that a denied connection was made to. */
  readonly through: Seen | undefined;
  readonly control: CanaryRun | undefined;
  /** By its name, the attempt leads where the one leads that it has to be apart from. */
  readonly isShared: boolean;
  /** When the first of the canaries began. */
  readonly firstMs: number;
}

function sightOf(check: Check, runs: Runs['runs']): Sight {
  const control = runs.get(podsOf('control')[0] ?? '');
  const canaries = check.pods.flatMap((name) => runs.get(name) ?? []);
  const seen = canaries.flatMap((run) => seenBy(run, check.text) ?? []);
  const isIn = (item: Seen) => (check.expect === 'Blocked' ? isLeak(item) : isThrough(check.text, item));
  return {
    canaries,
    seen,
    through: seen.find(isIn),
    control,
    isShared: check.apartFrom !== undefined && shareAddress(control, check.text, check.apartFrom),
    firstMs: Math.min(...canaries.flatMap(({ observation }) => observation?.firstMs ?? [])),
  };
}

/** Whatever else is so. */
function leak(check: Check, { through, isShared }: Sight): Judged | undefined {
  if (check.expect !== 'Blocked' || through === undefined || isShared) return undefined;
  return fail('DenyLeaked', words(through));
}

/** Why it tells nothing. */
function lack(check: Check, { canaries, seen, control, isShared }: Sight): Judged | undefined {
  if (seen.length === 0) return inconclusive('CanaryDidNotRun', canaries[0]?.problem ?? 'the canary did not run');
  const controlSeen = control && seenBy(control, check.text);
  if (controlSeen === undefined) return inconclusive('ControlDidNotRun', control?.problem ?? 'the control did not run');
  if (!isThrough(check.text, controlSeen)) return inconclusive('ControlBlocked', `control: ${words(controlSeen)}`);
  return isShared ? inconclusive('SameAddress', 'both names lead to one address') : undefined;
}

function outcome(check: Check, { seen, through, firstMs }: Sight): Judged {
  const [first] = seen;
  if (through !== undefined) return pass(words(through));
  if (first === undefined || seen.some((item) => item.outcome === 'failed'))
    return inconclusive('NotTried', 'it could not be tried');
  if (check.expect === 'Through') return fail('AllowBlocked', words(first));
  if (!check.early) return pass(words(first));
  if (firstMs <= EARLY_MS) return pass(`${words(first)}, from ${firstMs} ms on`);
  return inconclusive('StartedLate', `first tried ${firstMs} ms after the start, not within ${EARLY_MS} ms`);
}

export function seenBy({ observation, attempts }: CanaryRun, text: string): Seen | undefined {
  return observation?.seen[attempts.indexOf(text)];
}

/** Where the target has to say a word, a connection alone proves nothing: something in between may have taken it. */
function isThrough(text: string, { outcome: came }: Seen): boolean {
  return came === 'answered' || (came === 'connected' && !text.includes('#'));
}

/** That a connection was made at all is too much. */
function isLeak({ outcome: came }: Seen): boolean {
  return came === 'answered' || came === 'connected';
}

function shareAddress(control: CanaryRun | undefined, one: string, other: string): boolean {
  if (control === undefined) return false;
  const addresses = new Set(seenBy(control, one)?.addresses);
  return seenBy(control, other)?.addresses.some((address) => addresses.has(address)) ?? false;
}

function words({ outcome: came }: Seen): string {
  switch (came) {
    case 'answered':
    case 'connected':
    case 'refused':
      return came;
    case 'unresolved':
      return 'not resolved';
    case 'silent':
      return 'no answer';
    case 'failed':
      return 'not tried';
  }
}

function pass(seen: string): Judged {
  return { result: 'Pass', reason: 'AsExpected', seen };
}

function fail(reason: string, seen: string): Judged {
  return { result: 'Fail', reason, seen };
}

export function inconclusive(reason: string, seen: string): Judged {
  return { result: 'Inconclusive', reason, seen };
}
