import type { RunResult } from '../../scripts/lib/exec.ts';
import { type Look, waitFor } from '../../scripts/lib/wait-for.ts';
import type { Kubectl } from './kubectl.ts';

/**
 * What a pod sees of a target:
 * - `answers`: the target replied;
 * - `denied`: nothing came back at all, as when packets are dropped, be it on the way to the target or to the resolver;
 * - `refused`: something replied that it will not talk, which no policy here does: a target that is down does;
 * - `does-not-resolve`: a resolver replied that there is no such name, or that it will not say.
 */
export type Verdict = 'answers' | 'denied' | 'refused' | 'does-not-resolve';

export interface Probe {
  readonly verdict: Verdict;
  /** What the target replied: its own name, or addresses from a resolver. Empty unless it answers. */
  readonly answer: string;
  /** What the client said, for messages. */
  readonly detail: string;
}

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

/** Seconds: time for a second attempt after the first packet. A target here answers in milliseconds, also on a busy machine. */
const CONNECT_SECONDS = '2';

/** Exit codes of curl that are an observation; any other one is a mistake in the test. See curl(1), EXIT CODES. */
const CURL_VERDICTS: Readonly<Record<string, Verdict>> = {
  '0': 'answers',
  '6': 'does-not-resolve',
  '7': 'refused',
  '28': 'denied',
};

/** One HTTP request from inside the pod. Throws when the pod or its client cannot be used at all. */
export async function probe(kubectl: Kubectl, from: PodRef, url: string): Promise<Probe> {
  const options = ['-sS', '--noproxy', '*', '--connect-timeout', CONNECT_SECONDS, '--max-time', '5'];
  const { stdout, stderr } = await execWhole(kubectl, from, ['curl', ...options, '-w', '\n%{exitcode}', url]);
  const lines = stdout.split('\n');
  const code = lines.pop() ?? '';
  const verdict = CURL_VERDICTS[code];
  if (verdict === undefined) {
    throw new Error(`curl ${url} in ${from.namespace}/${from.name}: exit code "${code}", ${stderr.trim()}`);
  }
  const answer = verdict === 'answers' ? lines.join('\n').trim() : '';
  return { verdict, answer, detail: stderr.trim() };
}

/** One question for an IPv4 address from inside the pod, to its own resolver or to the server given. */
export async function probeDns(kubectl: Kubectl, from: PodRef, name: string, server?: string): Promise<Probe> {
  const at = server === undefined ? [] : [`@${server}`];
  const command = ['dig', '+time=2', '+tries=1', '+noall', '+comments', '+answer', ...at, name, 'A'];
  const { stdout, stderr } = await execWhole(kubectl, from, command);
  const status = /status: ([A-Z]+)/.exec(stdout)?.[1];
  const addresses = [...stdout.matchAll(/\sIN\s+A\s+(\S+)/g)].map((match) => match[1] ?? '');
  const detail = stdout.trim();
  if (status === 'NOERROR' && addresses.length > 0) return { verdict: 'answers', answer: addresses.join(' '), detail };
  if (status !== undefined) return { verdict: 'does-not-resolve', answer: '', detail };
  if (/timed out|no servers could be reached/.test(stdout)) return { verdict: 'denied', answer: '', detail };
  throw new Error(`dig ${name} in ${from.namespace}/${from.name}: ${detail} ${stderr.trim()}`);
}

/** What ends an output that has come through whole. */
const END = '<end>';
const EXECS = 3;

/**
 * Runs the command in the pod and returns its output, whatever its exit code. kubectl now and then discards what comes before
 * it is ready to listen ("Unknown stream id 1, discarding message"): the output is written in one piece, and asked for again
 * when that is not there.
 */
export async function execWhole(
  kubectl: Kubectl,
  { namespace, name }: PodRef,
  command: readonly string[],
): Promise<RunResult> {
  const script = `output=$("$@"); printf '%s%s' "$output" '${END}'`;
  let result: RunResult | undefined;
  for (let attempt = 0; attempt < EXECS; attempt += 1) {
    result = await kubectl.try('exec', '-n', namespace, name, '--', 'sh', '-c', script, 'sh', ...command);
    if (result.stdout.endsWith(END)) return { ...result, stdout: result.stdout.slice(0, -END.length) };
  }
  throw new Error(`${command.join(' ')} in ${namespace}/${name}: no output, ${result?.stderr.trim()}`);
}

/** Probes until the verdict is as expected; enforcement follows a policy by a moment. Returns the last probe. */
export function waitForVerdict(expected: Verdict, look: () => Promise<Probe>, timeoutMs = 45_000): Promise<Probe> {
  return waitFor(`verdict "${expected}"`, { timeoutMs, intervalMs: 250 }, async (): Promise<Look<Probe>> => {
    const seen = await look();
    if (seen.verdict === expected) return { done: true, value: seen };
    return { done: false, saw: `${seen.verdict} ${seen.answer} ${seen.detail}` };
  });
}
