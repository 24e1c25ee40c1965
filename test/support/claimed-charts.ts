/** Installs of a test file, in namespaces that no other file has. */
import { claimNamespaces } from './claim.ts';
import type { Kubectl } from './kubectl.ts';
import { applyCharts as applyAnywhere, type ChartsOptions } from './without-nodes.ts';

/** Fails before anything is applied if a governed namespace belongs to another file. */
export async function applyCharts(kubectl: Kubectl, options: ChartsOptions): Promise<void> {
  await claimNamespaces(options.governedNamespaces);
  await applyAnywhere(kubectl, options);
}
