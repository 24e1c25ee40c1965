/** What is stored in the cluster, as kubectl shows it. */

import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { CapabilityReportStatus } from '../../../src/api/capability-report.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { GOVERNED, INSTALL } from './site.ts';

interface Listed {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly uid: string };
  }[];
}

/** NetworkPolicies, and CiliumNetworkPolicies where they are served, of the governed namespace. */
export async function generatedObjects(
  kubectl: Kubectl,
): Promise<readonly { readonly kind: string; readonly name: string; readonly uid: string }[]> {
  const served = (await kubectl.run('api-resources', '--api-group=cilium.io', '--namespaced', '-o', 'name')).trim();
  const kinds = served.includes('ciliumnetworkpolicies') ? 'networkpolicy,ciliumnetworkpolicy' : 'networkpolicy';
  const list = await kubectl.get<Listed>(kinds, '-n', GOVERNED);
  return (list?.items ?? []).map(({ kind, metadata }) => ({ kind, name: metadata.name, uid: metadata.uid }));
}

/** Every object of the governed namespace that can be listed, as text. */
export async function everythingStored(kubectl: Kubectl): Promise<string> {
  const names = (await kubectl.run('api-resources', '--verbs=list', '--namespaced', '-o', 'name')).trim().split('\n');
  return kubectl.run('get', names.join(','), '-n', GOVERNED, '-o', 'json');
}

export interface Report {
  readonly provider: NonNullable<CapabilityReportStatus['provider']>;
  readonly capabilities: NonNullable<CapabilityReportStatus['capabilities']>;
}

/** The report of the inventory, once there is one. */
export function capabilityReport(kubectl: Kubectl): Promise<Report> {
  return waitFor('the capability report', { timeoutMs: 60_000 }, async () => {
    const report = await kubectl.get<{ status?: CapabilityReportStatus }>('capabilityreport', '-n', INSTALL, 'cluster');
    const { provider, capabilities } = report?.status ?? {};
    if (provider === undefined || capabilities === undefined) return { done: false, saw: 'no report' };
    return { done: true, value: { provider, capabilities } };
  });
}
