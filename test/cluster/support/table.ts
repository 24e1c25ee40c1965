/** Tables of what a pod can reach: the form in which these tests say what is expected, and what was seen. */
import { expect } from 'vitest';
import { type Look, waitFor } from '../../../scripts/lib/wait-for.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { type PodRef, type Probe, type ProbeTarget, probeAll, type Verdict } from '../../support/probe.ts';

/**
 * From an attempt to its outcome. The attempt is a URL, or `dns://server/name` for a question to that resolver. The outcome is
 * what the target replied, which for the targets outside the cluster is their own name, or the verdict when nothing did.
 */
export type Table = Readonly<Record<string, string>>;

const SILENT = new Set<string>(['denied', 'refused', 'does-not-resolve'] satisfies Verdict[]);
const SETTLES = { timeoutMs: 45_000, intervalMs: 250 };

/** Tries everything in the table once, at the same time. */
export async function look(kubectl: Kubectl, pod: PodRef, table: Table): Promise<Table> {
  const attempts = Object.keys(table);
  const probes = await probeAll(kubectl, pod, attempts.map(targetOf));
  return Object.fromEntries(probes.map((seen, i) => [attempts[i], outcomeOf(seen)]));
}

/**
 * Waits until whatever is to answer does, since enforcement follows a policy by a moment; then everything in the table must be
 * so at once. What is to be denied has no such grace: nothing may have been open in between.
 */
export async function expectTable(kubectl: Kubectl, pod: PodRef, table: Table): Promise<void> {
  await waitForAnswers(kubectl, pod, table);
  expect(await look(kubectl, pod, table)).toEqual(table);
}

/** Waits until whatever is to answer does. */
export async function waitForAnswers(kubectl: Kubectl, pod: PodRef, table: Table): Promise<void> {
  const answering = Object.entries(table).filter(([, outcome]) => !isSilent(outcome));
  await waitForTable(kubectl, pod, Object.fromEntries(answering));
}

/** Whether the outcome is that no target replied. */
export function isSilent(outcome: string): boolean {
  return SILENT.has(outcome);
}

/** Waits until everything in the table is so: for what has just been shut, which also takes a moment. */
export async function waitForTable(kubectl: Kubectl, pod: PodRef, table: Table): Promise<void> {
  await waitFor(`${pod.name} to see ${JSON.stringify(table)}`, SETTLES, async (): Promise<Look<undefined>> => {
    const seen = await look(kubectl, pod, table);
    const differing = Object.entries(seen).filter(([attempt, outcome]) => table[attempt] !== outcome);
    if (differing.length === 0) return { done: true, value: undefined };
    return { done: false, saw: JSON.stringify(Object.fromEntries(differing)) };
  });
}

/** The same attempts, all of them denied. */
export function allDenied(table: Table): Table {
  return Object.fromEntries(Object.keys(table).map((attempt) => [attempt, 'denied']));
}

function targetOf(attempt: string): ProbeTarget {
  const [, resolver, name] = /^dns:\/\/([^/]+)\/(.+)$/.exec(attempt) ?? [];
  return resolver === undefined || name === undefined ? { url: attempt } : { name, resolver };
}

function outcomeOf({ verdict, answer }: Probe): string {
  return verdict === 'answers' ? answer : verdict;
}
