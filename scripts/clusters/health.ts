import { run, tryRun } from '../lib/exec.ts';
import { FLAVOURS } from './flavours.ts';
import type { Step } from './progress.ts';
import type { ClusterState } from './state.ts';

/** An agent that compiles its programs on two busy cores needs one of these minutes. */
const WAIT = '--timeout=240s';

/** Until the network agent runs, the node is ready and names resolve. A failure leaves the state of all pods in the log. */
export async function waitForSystem(state: ClusterState, step: Step): Promise<void> {
  const options = { env: { KUBECONFIG: state.kubeconfigPath }, logPath: step.logPath };
  const rollout = (name: string): string[] => ['-n', 'kube-system', 'rollout', 'status', name, WAIT];
  const waits = [
    ...(FLAVOURS[state.flavour].cilium === undefined ? [] : [rollout('daemonset/cilium')]),
    ['wait', '--for=condition=Ready', 'node', '--all', WAIT],
    rollout('deployment/coredns'),
  ];
  try {
    for (const args of waits) await run(state.tools.kubectl, args, options);
  } catch (error) {
    await tryRun(state.tools.kubectl, ['get', 'events', '-A', '--sort-by=.lastTimestamp'], options);
    await tryRun(state.tools.kubectl, ['get', 'pods', '-A', '-o', 'wide'], options);
    throw error;
  }
}

/** Whether the API server, the node, the resolver and the network agent are all there now. Takes a second or two. */
export async function isHealthy(state: ClusterState): Promise<boolean> {
  const { cilium } = FLAVOURS[state.flavour];
  const agents = cilium === undefined ? [] : ['daemonset/cilium'];
  const readiness = [
    ['get', '--raw=/readyz'],
    ['wait', '--for=condition=Ready', 'node', '--all', '--timeout=5s'],
    ...['deployment/coredns', ...agents].map((name) => [
      '-n',
      'kube-system',
      'rollout',
      'status',
      name,
      '--timeout=5s',
    ]),
  ];
  const options = { env: { KUBECONFIG: state.kubeconfigPath }, timeoutMs: 15_000 };
  for (const args of readiness) {
    const answer = await tryRun(state.tools.kubectl, ['--request-timeout=5s', ...args], options).catch(() => undefined);
    if (answer?.code !== 0) return false;
  }
  return true;
}
