/** Whether the API server would take a pod of the profile, and if not, what it says. */
import { PROFILE_LABEL } from '../../src/api/meta.ts';
import type { Kubectl } from '../../test/support/kubectl.ts';
import { clientPod, type PodOptions } from '../../test/support/pods.ts';
import { ACCOUNT, PROFILE } from '../../test/support/policies.ts';
import { messageOf } from '../lib/errors.ts';
import { waitFor } from '../lib/wait-for.ts';
import { wrap } from '../synth/wrap.ts';
import { quoted } from './text.ts';

/** The API server follows its parameters by a watch, and the operator what it has put in force: moments. */
const SETTLED_MS = 30_000;
const MESSAGE_WIDTH = 110;

export type Answer = 'admitted' | { readonly refused: string };

/** A pod as the profile of examples/runtime-profile.yaml wants it. */
export function governedPod(ref: Pick<PodOptions, 'namespace' | 'name'>): object {
  return clientPod({ ...ref, serviceAccountName: ACCOUNT, labels: { [PROFILE_LABEL]: PROFILE } });
}

/** Asks without making anything, until the answer is as expected or time is up; returns the last one. */
export async function askForPod(
  kubectl: Kubectl,
  ref: Pick<PodOptions, 'namespace' | 'name'>,
  expected: 'admitted' | RegExp,
): Promise<Answer> {
  let answer: Answer = { refused: '' };
  const asked = waitFor('the answer of admission', { timeoutMs: SETTLED_MS, intervalMs: 250 }, async () => {
    answer = await ask(kubectl, governedPod(ref));
    return isExpected(answer, expected) ? { done: true, value: answer } : { done: false, saw: describeAnswer(answer) };
  });
  return asked.catch(() => answer);
}

export function isExpected(answer: Answer, expected: 'admitted' | RegExp): boolean {
  if (answer === 'admitted' || expected === 'admitted') return answer === expected;
  return expected.test(answer.refused);
}

export function describeAnswer(answer: Answer): string {
  if (answer === 'admitted') return '  admitted';
  return quoted(wrap(`refused: ${answer.refused}`, MESSAGE_WIDTH).join('\n'));
}

async function ask(kubectl: Kubectl, pod: object): Promise<Answer> {
  try {
    await kubectl.apply([pod], '--dry-run=server');
    return 'admitted';
  } catch (error) {
    const [, said = messageOf(error)] = / denied request: (.*)/.exec(messageOf(error)) ?? [];
    return { refused: said };
  }
}
