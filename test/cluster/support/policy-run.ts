/** One policy after the other in the governed namespace, and what each opens while it is there. */
import { expect } from 'vitest';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { type PolicyObject, policy, waitForReady } from '../../support/policies.ts';
import { generatedObjects } from './objects.ts';
import { agent, bystander, control, GOVERNED } from './site.ts';
import { allDenied, isSilent, look, type Table, waitForAnswers, waitForTable } from './table.ts';

export type PolicySpec = Readonly<Record<string, unknown>>;

/** Applies the policy and waits until its newest generation is in force. */
export async function enforce(kubectl: Kubectl, name: string, spec: PolicySpec): Promise<PolicyObject> {
  await kubectl.apply([policy(GOVERNED, name, spec)]);
  return waitForReady(kubectl, GOVERNED, name);
}

export async function removePolicy(kubectl: Kubectl, name: string): Promise<void> {
  await kubectl.run('delete', 'egresspolicy', '-n', GOVERNED, name, '--ignore-not-found', '--wait');
}

/** After each test: what a failed one has left must not decide the next. */
export async function removeAllPolicies(kubectl: Kubectl): Promise<void> {
  await kubectl.run('delete', 'egresspolicy', '-n', GOVERNED, '--all', '--wait');
  await waitFor('the outputs to be collected', { timeoutMs: 60_000 }, async () => {
    const names = (await generatedObjects(kubectl)).map(({ name }) => name);
    return names.length === 1 ? { done: true, value: undefined } : { done: false, saw: names.join(', ') };
  });
}

export interface Proof {
  readonly name: string;
  readonly spec: PolicySpec;
  /** What the agent sees while the policy is in force. */
  readonly opens: Table;
  /** Answers that the ungoverned pod gets, for the attempts that the agent is denied. That pod must get one for each. */
  readonly free?: Table;
}

/**
 * Proves the policy with packets: the ungoverned pod reaches everything in the table, the agent nothing of it before and after,
 * and in between exactly what the table says; the pod of another ServiceAccount nothing at any time.
 */
export async function prove(kubectl: Kubectl, { name, spec, opens, free = {} }: Proof): Promise<void> {
  const shut = allDenied(opens);
  expect(await look(kubectl, agent, opens), 'before the policy').toEqual(shut);
  await enforce(kubectl, name, spec);
  try {
    await waitForAnswers(kubectl, agent, opens);
    const [governed, others, ungoverned] = await Promise.all(
      [agent, bystander, control].map((pod) => look(kubectl, pod, opens)),
    );
    expect(governed, 'the governed pod').toEqual(opens);
    expect(others, 'another ServiceAccount').toEqual(shut);
    expect(Object.values(ungoverned ?? {}).filter(isSilent), 'the ungoverned pod').toEqual([]);
    expect(ungoverned).toMatchObject(free);
  } finally {
    await removePolicy(kubectl, name);
  }
  await waitForTable(kubectl, agent, shut);
}
