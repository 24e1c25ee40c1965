/** Shows what became of a policy: its printer columns, and every condition. */
import type { Kubectl } from '../../test/support/kubectl.ts';
import { getPolicy, type PolicyObject, waitForPolicy } from '../../test/support/policies.ts';
import { wrap } from '../synth/wrap.ts';
import { quoted, textTable } from './text.ts';

/** A policy is judged within a moment once the report of the inventory is there, which takes a few seconds at first. */
const JUDGED_MS = 60_000;
const MESSAGE_WIDTH = 110;

/** Waits until the policy's newest generation is Ready, or refused for a reason other than that nothing is known yet. */
export function waitForJudgement(kubectl: Kubectl, namespace: string, name: string): Promise<PolicyObject> {
  return waitForPolicy(kubectl, { namespace, name }, (policy) => readyOf(policy)?.status !== 'Unknown', JUDGED_MS);
}

export function isReady(policy: PolicyObject): boolean {
  return readyOf(policy)?.status === 'True';
}

export async function describePolicies(kubectl: Kubectl, namespace: string): Promise<string> {
  return quoted(await kubectl.run('get', 'egresspolicies', '-n', namespace));
}

/** All conditions, and in full the message of the one that decides. */
export async function describeConditions(kubectl: Kubectl, namespace: string, name: string): Promise<string> {
  const policy = await getPolicy(kubectl, namespace, name);
  const conditions = policy?.status?.conditions ?? [];
  const header = ['condition', 'status', 'reason', 'generation'];
  const rows = conditions.map(({ type, status, reason, observedGeneration }) => [
    type,
    status,
    reason,
    String(observedGeneration),
  ]);
  const message = conditions.find(({ type }) => type === 'Ready')?.message ?? '';
  return `${textTable(header, rows)}\n\n${quoted(wrap(message, MESSAGE_WIDTH).join('\n'))}`;
}

function readyOf(policy: PolicyObject) {
  return policy.status?.conditions?.find(({ type }) => type === 'Ready');
}
