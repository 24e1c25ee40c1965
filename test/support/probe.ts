import type { RunResult } from '../../scripts/lib/exec.ts';
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
const CONNECT_SECONDS = 2;

/** Exit codes of curl that are an observation; any other one is a mistake in the test. See curl(1), EXIT CODES. */
const CURL_VERDICTS: Readonly<Record<string, Verdict>> = {
  '0': 'answers',
  '6': 'does-not-resolve',
  '7': 'refused',
  '28': 'denied',
};

/** A URL, or a question for an IPv4 address, to the pod's own resolver or to the one given. */
export type ProbeTarget = { readonly url: string } | { readonly name: string; readonly resolver?: string };

/** Each target is three words: what asks, whom, and where. What came of it goes to a file, since all are asked at once. */
const SCRIPT = `
folder=$(mktemp -d); count=0
while [ $# -gt 0 ]; do
  count=$((count + 1))
  case $1 in
    curl) curl -sS --noproxy '*' --connect-timeout ${CONNECT_SECONDS} --max-time 5 -w '\n%{exitcode} %{errormsg}' "$2" ;;
    dig) dig +time=2 +tries=1 +noall +comments +answer $3 "$2" A ;;
  esac > "$folder/$count" 2>/dev/null &
  shift 3
done
wait
for number in $(seq "$count"); do cat "$folder/$number"; printf '%s' "<next>"; done
rm -r "$folder"
`;

/** As `probeEach`, where whatever is no observation is a mistake. @throws Error naming the first */
export async function probeAll(
  kubectl: Kubectl,
  from: PodRef,
  targets: readonly ProbeTarget[],
): Promise<readonly Probe[]> {
  const probes = await probeEach(kubectl, from, targets);
  return probes.map((seen) => {
    if (seen instanceof Error) throw seen;
    return seen;
  });
}

/**
 * Tries everything at the same time, once, in one process on this side. What a client did that is no observation is an error in its place.
 * Throws when the pod cannot be used at all.
 */
export async function probeEach(
  kubectl: Kubectl,
  from: PodRef,
  targets: readonly ProbeTarget[],
): Promise<readonly (Probe | Error)[]> {
  if (targets.length === 0) return [];
  const { stdout } = await execWhole(kubectl, from, ['sh', '-c', SCRIPT, 'sh', ...targets.flatMap(wordsOf)]);
  const outputs = stdout.split('<next>');
  return targets.map((target, i) => {
    const output = outputs[i] ?? '';
    const seen = 'url' in target ? probeOfCurl(output) : probeOfDig(output);
    if (seen !== undefined) return seen;
    return new Error(`${wordsOf(target).join(' ')} in ${from.namespace}/${from.name}: ${output.trim() || 'no output'}`);
  });
}

function wordsOf(target: ProbeTarget): readonly [string, string, string] {
  if ('url' in target) return ['curl', target.url, ''];
  return ['dig', target.name, target.resolver === undefined ? '' : `@${target.resolver}`];
}

/** Undefined for what is no observation. */
function probeOfCurl(output: string): Probe | undefined {
  const lines = output.split('\n');
  const [, code = '', detail = ''] = /^([0-9]+) ?(.*)$/.exec(lines.pop() ?? '') ?? [];
  const verdict = CURL_VERDICTS[code];
  if (verdict === undefined) return undefined;
  return { verdict, answer: verdict === 'answers' ? lines.join('\n').trim() : '', detail };
}

function probeOfDig(output: string): Probe | undefined {
  const status = /status: ([A-Z]+)/.exec(output)?.[1];
  const addresses = [...output.matchAll(/\sIN\s+A\s+(\S+)/g)].map((match) => match[1] ?? '');
  const detail = output.trim();
  if (status === 'NOERROR' && addresses.length > 0) return { verdict: 'answers', answer: addresses.join(' '), detail };
  if (status !== undefined) return { verdict: 'does-not-resolve', answer: '', detail };
  if (/timed out|no servers could be reached/.test(output)) return { verdict: 'denied', answer: '', detail };
  return undefined;
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
