/** Installs AgentPlane on the embedded control plane: real CRDs, the chart's own Roles and floor, and its commands as processes. */

import { attachEmbedded, type EmbeddedControlPlane } from '../../../scripts/clusters/embedded/control-plane.ts';
import type { Client } from '../../../src/kube/client.ts';
import { applyCharts } from '../../support/claimed-charts.ts';
import { clientFor } from '../../support/client.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { type Kubectl, kubectlFor } from '../../support/kubectl.ts';
import { type Running, startCommand } from '../../support/process.ts';
import { type ChartsOptions, forgetReports } from '../../support/without-nodes.ts';

export const INSTALL_NAMESPACE = 'agentplane';

export interface Installation {
  readonly controlPlane: EmbeddedControlPlane;
  readonly admin: Client;
  readonly kubectl: Kubectl;
  readonly startOperator: (flags?: readonly string[]) => Promise<Running>;
  readonly startInventory: (flags?: readonly string[]) => Promise<Running>;
}

export type InstallOptions = Pick<ChartsOptions, 'admission' | 'holdsProfiles' | 'secrets'>;

export async function install(namespaces: readonly string[], options: InstallOptions = {}): Promise<Installation> {
  const embedded = controlPlaneOfWorker();
  const controlPlane = await attachEmbedded(embedded.folder);
  const kubectl = kubectlFor(embedded.kubectl, embedded.kubeconfigPath);
  await applyCharts(kubectl, { installNamespace: INSTALL_NAMESPACE, governedNamespaces: namespaces, ...options });
  await forgetReports(kubectl);
  // An operator that was killed in a file before this one left it behind: nobody needs to wait until it has run out.
  await kubectl.run('delete', 'lease', '-n', INSTALL_NAMESPACE, 'agentplane-operator', '--ignore-not-found');
  const admission = options.holdsProfiles ?? options.admission !== undefined;
  const start = async (command: 'operator' | 'inventory', flags: readonly string[]) => {
    const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: `agentplane-${command}` } as const;
    return startCommand(command, flags, await controlPlane.kubeconfigFor(account));
  };
  const common = ['--install-namespace', INSTALL_NAMESPACE, '--metrics-port', '0', '--health-port', '0'];
  return {
    controlPlane,
    admin: clientFor(embedded.kubeconfigPath),
    kubectl,
    startOperator: (flags = []) =>
      start('operator', [
        ...common,
        '--identity',
        `test-${process.pid}-${Date.now()}`,
        '--namespaces',
        namespaces.join(','),
        '--admission',
        String(admission),
        ...flags,
      ]),
    startInventory: (flags = []) => start('inventory', [...common, '--interval-seconds', '1', ...flags]),
  };
}
