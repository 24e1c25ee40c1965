/**
 * The probe on a control plane without nodes: its own rights are real, and so is everything that it writes. No pod runs: a kubelet of our
 * own says of each what it would have seen.
 */
import path from 'node:path';
import { type RunResult, tryRun } from '../../../scripts/lib/exec.ts';
import { REPOSITORY } from '../../../scripts/lib/repository.ts';
import { loadCharts } from '../../../scripts/synth/charts.ts';
import { synthStatic } from '../../../scripts/synth/synth-static.ts';
import { PODS } from '../../../src/controllers/resources.ts';
import { type StagedNetwork, stagedStatus } from '../../../src/probe/testing-kubelet.ts';
import { metadataOf } from '../../chart/support/objects.ts';
import { type Running, startCommand } from '../../support/process.ts';
import { INSTALL_NAMESPACE, type Installation } from './installation.ts';

export const CANARIES = 'probing-canaries';
/** Who the probe is to the audit log. */
export const PROBE_USER = `system:serviceaccount:${INSTALL_NAMESPACE}:agentplane-probe`;

const FLAGS = [
  ...['--namespace', CANARIES, '--install-namespace', INSTALL_NAMESPACE, '--image', 'agentplane:none'],
  ...['--allowed-addresses', '203.0.113.10:443', '--denied-addresses', '203.0.113.20:443'],
  ...['--allowed-name', 'api.example.com:443', '--denied-name', 'evil.example.net:443'],
];

export interface Probing {
  /** How the network is from now on. */
  readonly network: StagedNetwork;
  /** The loop; resolves when there are results. */
  start(flags?: readonly string[]): Promise<Running>;
  /** One run, whatever its exit code. */
  once(flags?: readonly string[]): Promise<RunResult>;
  stop(): Promise<void>;
}

/** Applies what the chart renders for the probe, and reports of every pod in its namespace. */
export async function stageProbe(site: Installation): Promise<Probing> {
  const { kubectl, admin, controlPlane } = site;
  await kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: CANARIES } }]);
  await kubectl.apply(await probeObjects());
  const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: 'agentplane-probe' } as const;
  const kubeconfig = await controlPlane.kubeconfigFor(account);
  const network: StagedNetwork = {};
  let over = false;
  const reporting = (async () => {
    while (!over) {
      const { items } = await admin.list(PODS, { namespace: CANARIES });
      for (const pod of items) {
        const { phase } = (pod.status ?? {}) as { readonly phase?: string };
        if (phase !== 'Pending') continue;
        const patch = { status: stagedStatus(pod, network) };
        const ref = { namespace: CANARIES, name: pod.metadata.name };
        const options = { fieldManager: 'kubelet', subresource: 'status' } as const;
        // It may be gone by now.
        await admin.mergePatch(PODS, ref, patch, options).catch(() => undefined);
      }
      await new Promise((done) => setTimeout(done, 50));
    }
  })();
  return {
    network,
    start: (flags = []) =>
      startCommand('probe', [...FLAGS, '--metrics-port', '0', '--health-port', '0', ...flags], kubeconfig),
    once: (flags = []) =>
      tryRun(process.execPath, [path.join(REPOSITORY, 'src/main.ts'), 'probe', '--once', ...FLAGS, ...flags], {
        env: { KUBECONFIG: kubeconfig },
        timeoutMs: 60_000,
      }),
    stop: async () => {
      over = true;
      await reporting;
      await kubectl.run('delete', 'namespace', CANARIES, '--wait=false');
    },
  };
}

async function probeObjects() {
  const chart = (await loadCharts(REPOSITORY)).find(({ name }) => name === 'agentplane');
  if (chart === undefined) throw new Error('there is no chart agentplane');
  const values = { cilium: { enabled: true }, probe: { enabled: true, namespace: CANARIES } };
  const release = { name: 'agentplane', namespace: INSTALL_NAMESPACE };
  return synthStatic(chart, values, release).filter((object) => {
    const { name, namespace } = metadataOf(object);
    const isAuthority = ['ServiceAccount', 'Role', 'RoleBinding'].includes(String(object.kind));
    return isAuthority && (namespace === CANARIES || name === 'agentplane-probe');
  });
}
