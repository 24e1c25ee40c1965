/** Tries the same targets from inside a pod without a pause, for what must hold at every moment of a change. */
import type { Kubectl } from '../../support/kubectl.ts';
import type { PodRef } from '../../support/probe.ts';

export interface Observation {
  readonly url: string;
  /** How often it answered. */
  readonly answered: number;
  /** How often nothing came back. */
  readonly silent: number;
}

/** One loop per target. curl says its exit code: 0 answers, 28 is silence within the time limit. */
const SCRIPT = `
stop=$1; pause=$2; shift 2
for url in "$@"; do
  while [ ! -e "$stop" ]; do
    curl -s -o /dev/null --noproxy '*' --connect-timeout 0.5 --max-time 1 -w "%{exitcode} $url\\n" "$url"
    [ "$pause" = 0 ] || sleep "$pause"
  done &
done
wait
`;

export interface Probing {
  readonly pod: PodRef;
  readonly urls: readonly string[];
  /** Between two tries of a URL, none by default. Long work with a pause leaves the cluster its processors. */
  readonly pauseSeconds?: number;
}

/** Tries all URLs for as long as the work goes on, and returns what came of each. */
export async function probeDuring(
  kubectl: Kubectl,
  { pod, urls, pauseSeconds = 0 }: Probing,
  work: () => Promise<void>,
): Promise<readonly Observation[]> {
  const stopFile = `/tmp/stop-${Date.now()}`;
  const exec = ['exec', '-n', pod.namespace, pod.name, '--'];
  const probing = kubectl.run(...exec, 'sh', '-c', SCRIPT, 'prober', stopFile, `${pauseSeconds}`, ...urls);
  try {
    await work();
  } finally {
    await kubectl.run(...exec, 'touch', stopFile);
  }
  const lines = (await probing).split('\n');
  return urls.map((url) => ({
    url,
    answered: lines.filter((line) => line === `0 ${url}`).length,
    silent: lines.filter((line) => line === `28 ${url}`).length,
  }));
}
