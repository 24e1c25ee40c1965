import { run, tryRun } from '../lib/exec.ts';
import { FLAVOURS } from './flavours.ts';
import type { ClusterState } from './state.ts';

/** Seconds: an agent that compiles its programs on two busy cores needs one of these minutes. */
const WAIT = '--timeout=240s';

/** Until the network is there: with Cilium its agent, and in any case the node, which is ready only then. */
export async function waitForNetwork(state: ClusterState): Promise<void> {
  const env = { KUBECONFIG: state.kubeconfigPath };
  if (FLAVOURS[state.flavour].cilium !== undefined) {
    await run(state.tools.kubectl, ['-n', 'kube-system', 'rollout', 'status', 'daemonset/cilium', WAIT], { env });
  }
  await run(state.tools.kubectl, ['wait', '--for=condition=Ready', 'node', '--all', WAIT], { env });
}

/** Until names resolve. */
export async function waitForSystem(state: ClusterState): Promise<void> {
  const env = { KUBECONFIG: state.kubeconfigPath };
  await run(state.tools.kubectl, ['-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', WAIT], { env });
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
