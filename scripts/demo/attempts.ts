/** What the demo tries from inside a pod, and what should come of it. */

import type { Kubectl } from '../../test/support/kubectl.ts';
import { type PodRef, type Probe, type ProbeTarget, probeEach, type Verdict } from '../../test/support/probe.ts';
import type { TargetPlan } from '../clusters/target-plan.ts';
import { messageOf } from '../lib/errors.ts';
import { waitUntil } from '../lib/wait-for.ts';
import { textTable } from './text.ts';

export interface Attempt {
  readonly what: string;
  readonly target: ProbeTarget;
  /** While examples/names.yaml is in force. */
  readonly underPolicy: Verdict;
}

/** Where examples/names.yaml is enforced, this is what it means. */
export function attemptsFor({ addresses }: TargetPlan): readonly Attempt[] {
  const name = (host: string, port = '') => ({ url: `http://${host}.example.test${port}/` });
  return [
    { what: 'the allowed name', target: name('api'), underPolicy: 'answers' },
    { what: 'the allowed name, another port', target: name('api', ':8000'), underPolicy: 'denied' },
    { what: 'one label before the suffix', target: name('a.cdn'), underPolicy: 'answers' },
    { what: 'two labels before the suffix', target: name('a.b.cdn'), underPolicy: 'does-not-resolve' },
    { what: 'the suffix itself', target: name('cdn'), underPolicy: 'does-not-resolve' },
    { what: 'another name', target: name('evil'), underPolicy: 'does-not-resolve' },
    { what: 'an address', target: { url: `http://${addresses.evil}/` }, underPolicy: 'denied' },
    { what: 'the metadata service', target: { url: `http://${addresses.metadata}/` }, underPolicy: 'denied' },
    {
      what: 'another resolver',
      target: { name: 'evil.example.test', resolver: addresses.resolver },
      underPolicy: 'denied',
    },
  ];
}

export interface Tried {
  readonly attempt: Attempt;
  readonly expected: Verdict;
  readonly governed: Probe;
  /** From a pod in a namespace that is not governed: shows that the target is there. */
  readonly free: Probe;
}

export interface Pods {
  readonly governed: PodRef;
  readonly free: PodRef;
}

/** Tries everything from both pods. `enforced` is whether the policy is in force; without it the floor denies all. */
export async function tryAll(
  kubectl: Kubectl,
  pods: Pods,
  attempts: readonly Attempt[],
  enforced: boolean,
): Promise<readonly Tried[]> {
  const first = attempts.find(({ underPolicy }) => underPolicy === 'answers');
  // Enforcement follows a policy by a moment: only for what is to be open, since everything else is shut all along.
  if (enforced && first !== undefined) {
    const isOpen = async () => (await tryFrom(kubectl, pods.governed, [first]))[0]?.verdict === 'answers';
    await waitUntil('what is open to answer', { timeoutMs: 45_000 }, isOpen).catch(() => undefined);
  }
  const [governed, free] = await Promise.all([pods.governed, pods.free].map((pod) => tryFrom(kubectl, pod, attempts)));
  return attempts.map((attempt, i) => ({
    attempt,
    expected: enforced ? attempt.underPolicy : ('denied' as const),
    governed: governed?.[i] ?? UNSEEN,
    free: free?.[i] ?? UNSEEN,
  }));
}

const UNSEEN: Probe = { verdict: 'refused', answer: '', detail: 'nothing was seen' };

export function isAsExpected({ expected, governed, free }: Tried): boolean {
  return governed.verdict === expected && free.verdict === 'answers';
}

export function triedTable(tried: readonly Tried[]): string {
  const header = ['tried', 'target', 'expected', 'governed pod', 'ungoverned pod', 'as expected'];
  const rows = tried.map((row) => [
    row.attempt.what,
    describe(row.attempt.target),
    row.expected,
    shown(row.governed),
    shown(row.free),
    isAsExpected(row) ? 'yes' : 'NO',
  ]);
  return textTable(header, rows);
}

async function tryFrom(kubectl: Kubectl, pod: PodRef, attempts: readonly Attempt[]): Promise<readonly Probe[]> {
  try {
    const targets = attempts.map(({ target }) => target);
    const probes = await probeEach(kubectl, pod, targets);
    return probes.map((seen) => (seen instanceof Error ? { ...UNSEEN, detail: seen.message } : seen));
  } catch (error) {
    return attempts.map(() => ({ ...UNSEEN, detail: messageOf(error) }));
  }
}

function describe(target: Attempt['target']): string {
  if ('url' in target) return target.url;
  return ['dig', ...(target.resolver === undefined ? [] : [`@${target.resolver}`]), target.name].join(' ');
}

function shown({ verdict, answer }: Probe): string {
  return verdict === 'answers' ? `answers: ${answer}` : verdict;
}
