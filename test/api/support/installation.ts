/** Installs AgentPlane on the embedded control plane: real CRDs, the chart's own Roles and floor, and its commands as processes. */

import { KubeConfig } from '@kubernetes/client-node';
import { inject } from 'vitest';
import { ciliumSource } from '../../../scripts/clusters/cilium-image.ts';
import { attachEmbedded, type EmbeddedControlPlane } from '../../../scripts/clusters/embedded/control-plane.ts';
import { REPOSITORY } from '../../../scripts/lib/repository.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { loadCharts } from '../../../scripts/synth/charts.ts';
import { synthStatic } from '../../../scripts/synth/synth-static.ts';
import type { Client } from '../../../src/kube/client.ts';
import { createClient } from '../../../src/kube/create-client.ts';
import { type Kubectl, kubectlFor } from '../../support/kubectl.ts';
import { type Running, startCommand } from './process.ts';

export const INSTALL_NAMESPACE = 'agentplane';

export interface Installation {
  readonly controlPlane: EmbeddedControlPlane;
  readonly admin: Client;
  readonly kubectl: Kubectl;
  readonly startOperator: (flags?: readonly string[]) => Promise<Running>;
  readonly startInventory: (flags?: readonly string[]) => Promise<Running>;
}

/** Kinds of the charts that mean something without nodes. */
const INSTALLED_KINDS = new Set(['CustomResourceDefinition', 'ServiceAccount', 'Role', 'RoleBinding', 'NetworkPolicy']);

export async function install(namespaces: readonly string[]): Promise<Installation> {
  const embedded = inject('embedded');
  const controlPlane = await attachEmbedded(embedded.folder);
  const kubectl = kubectlFor(embedded.kubectl, embedded.kubeconfigPath);
  await kubectl.apply(
    [INSTALL_NAMESPACE, ...namespaces].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  );
  await installCharts(kubectl, namespaces);
  const start = async (command: 'operator' | 'inventory', flags: readonly string[]) => {
    const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: `agentplane-${command}` } as const;
    return startCommand(command, flags, await controlPlane.kubeconfigFor(account));
  };
  const common = ['--install-namespace', INSTALL_NAMESPACE, '--metrics-port', '0', '--health-port', '0'];
  return {
    controlPlane,
    admin: adminClient(embedded.kubeconfigPath),
    kubectl,
    startOperator: (flags = []) =>
      start('operator', [
        ...common,
        '--identity',
        `test-${process.pid}-${Date.now()}`,
        '--namespaces',
        namespaces.join(','),
        ...flags,
      ]),
    startInventory: (flags = []) => start('inventory', [...common, '--interval-seconds', '1', ...flags]),
  };
}

export function adminClient(kubeconfigPath: string): Client {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfigPath);
  return createClient({ kubeConfig, userAgent: 'agentplane-test', requestTimeoutMs: 20_000 });
}

/** The real CRD of Cilium, from the module that the test clusters are built from. */
export async function installCiliumCrd({ kubectl, controlPlane }: Installation): Promise<void> {
  const folder = `${await ciliumSource()}/pkg/k8s/apis/cilium.io/client/crds/v2`;
  await kubectl.run('apply', '--server-side', '-f', `${folder}/ciliumnetworkpolicies.yaml`);
  await waitForCrds(kubectl);
  // The garbage collector looks for new kinds twice a minute only; a new one knows them all at once.
  await controlPlane.restart('kube-controller-manager');
}

async function installCharts(kubectl: Kubectl, namespaces: readonly string[]): Promise<void> {
  const values = {
    agentplane: { governedNamespaces: namespaces.map((name) => ({ name })), cilium: { enabled: true } },
    'agentplane-cluster': { installs: [{ namespace: INSTALL_NAMESPACE }] },
    'agentplane-crds': {},
  };
  for (const chart of await loadCharts(REPOSITORY)) {
    const manifests = synthStatic(chart, values[chart.name as keyof typeof values], {
      name: chart.name,
      namespace: INSTALL_NAMESPACE,
    });
    const wanted = manifests.filter((manifest) => INSTALLED_KINDS.has(String(manifest.kind)));
    if (wanted.length > 0) await kubectl.apply(wanted);
  }
  await waitForCrds(kubectl);
}

interface CrdList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** `kubectl wait` fails on a CRD that has no status yet. */
async function waitForCrds(kubectl: Kubectl): Promise<void> {
  await waitFor('the CRDs to be established', { timeoutMs: 30_000, intervalMs: 50 }, async () => {
    const list = await kubectl.get<CrdList>('crd');
    const pending = (list?.items ?? []).filter(
      ({ status }) =>
        !(status?.conditions ?? []).some(({ type, status: state }) => type === 'Established' && state === 'True'),
    );
    if (pending.length === 0) return { done: true, value: undefined };
    return { done: false, saw: pending.map(({ metadata }) => metadata.name).join(', ') };
  });
}
