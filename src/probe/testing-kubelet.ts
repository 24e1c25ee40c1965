/** What a kubelet would report of the pods of a run, for where there is none: at once, and by how the network is staged. */
import type { KubeObject } from '../kube/types.ts';
import { encodeObservation, type Outcome } from './observation.ts';
import { CANARY_LABEL } from './subjects.ts';

export interface StagedNetwork {
  /** Targets never become ready. */
  notReady?: boolean;
  /** Whether what is to be denied is. */
  enforces?: boolean;
  /** What nobody reaches, whatever is allowed. */
  down?: RegExp;
  /** When canaries begin. */
  firstMs?: number;
}

interface Body {
  readonly containers: readonly { readonly args: readonly string[] }[];
}

/** The status that the pod would have: targets are ready, canaries have ended. */
export function stagedStatus(pod: KubeObject, network: StagedNetwork): object {
  const subject = pod.metadata.labels?.[CANARY_LABEL] ?? '';
  if (subject === 'target' || subject === 'other') {
    const podIP = subject === 'target' ? '10.0.0.1' : '10.0.0.2';
    const ready = { type: 'Ready', status: network.notReady ? 'False' : 'True' };
    return { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [ready] };
  }
  const { args } = (pod.spec as Body).containers[0] ?? { args: [] };
  const attempts = args.filter((_, index) => args[index - 1] === '--try');
  const seen = attempts.map((text) => ({
    outcome: outcomeOf(subject, text, network),
    atMs: 60,
    tries: 2,
    addresses: text.startsWith('name:') ? [`192.0.2.${text.length}`] : [],
  }));
  const message = encodeObservation({ firstMs: network.firstMs ?? 40, families: ['IPv4'], seen });
  const container = { name: 'canary', ready: false, restartCount: 0, image: '', imageID: '' };
  return { phase: 'Succeeded', containerStatuses: [{ ...container, state: { terminated: { exitCode: 0, message } } }] };
}

/** What each canary may reach, told apart from what it may not. */
const OPEN: Readonly<Record<string, RegExp>> = {
  control: /./,
  workloads: /:8080#target/,
  'ports-range': /:808[24]#target/,
  cidr: /203\.0\.113\.10/,
  'cidr-except': /203\.0\.113\.10/,
  'dns-resolver': /^resolve:/,
  'dns-filter': /api\.example\.com/,
  'domain-exact': /api\.example\.com/,
  'domain-one-label': /\/a\.cdn/,
  'domain-any-depth': /cdn/,
  'kube-api-server': /KUBERNETES/,
  'family-ipv4': /:8080#target/,
};

function outcomeOf(subject: string, text: string, { enforces = true, down }: StagedNetwork): Outcome {
  if (down?.test(text) || (enforces && !OPEN[subject]?.test(text))) return 'silent';
  return /#|^resolve:|^dns:/.test(text) ? 'answered' : 'connected';
}
