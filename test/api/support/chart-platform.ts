/** What a platform admin installs once per cluster: the CRDs, and the Role of kube-system. */
import { waitUntil } from '../../../scripts/lib/wait-for.ts';
import { KINDS } from '../../../src/api/kinds.ts';
import { letGoOfProfiles } from '../../support/held-profiles.ts';
import type { Helm } from '../../support/helm.ts';
import type { Kubectl } from '../../support/kubectl.ts';
import { removePolicies } from '../admission/site.ts';
import { type Release, release, uninstall } from './chart-release.ts';

/**
 * Release names as other files of this level render them: they apply the same CRDs with another tool, and a label that differed
 * would be a conflict between the two.
 */
export const CRDS: Release = {
  chart: 'agentplane-crds',
  name: 'agentplane-crds',
  namespace: 'kube-system',
  values: {},
};

export function clusterRelease(installNamespaces: readonly string[]): Release {
  const values = { installs: installNamespaces.map((namespace) => ({ namespace })) };
  return { chart: 'agentplane-cluster', name: 'agentplane-cluster', namespace: 'kube-system', values };
}

export async function installPlatform(helm: Helm, installNamespaces: readonly string[]): Promise<void> {
  await release(helm, 'install', CRDS);
  await release(helm, 'install', clusterRelease(installNamespaces));
}

/** The CRDs stay, as they do for a customer; the rest of the cluster is as before. */
export async function uninstallPlatform(helm: Helm): Promise<void> {
  await uninstall(helm, CRDS);
  await uninstall(helm, clusterRelease([]));
}

/** Other files of this level leave the same objects, which Helm rightly refuses to take over: they are not of its release. */
export async function clearPlatform(kubectl: Kubectl): Promise<void> {
  await removePolicies({ kubectl });
  await letGoOfProfiles(kubectl);
  const crds = KINDS.map(({ plural, group }) => `${plural}.${group}`);
  await removeCrds(kubectl, crds);
  const named = ['agentplane-inventory', '-n', 'kube-system', '--ignore-not-found'];
  await kubectl.run('delete', 'role,rolebinding', ...named);
}

/**
 * Until they are gone. Of a CRD that was changed a moment before, the API server sometimes cannot list the objects yet ("storage is
 * (re)initializing"), and tries again only minutes later, unless something is written to it: the annotation.
 */
async function removeCrds(kubectl: Kubectl, crds: readonly string[]): Promise<void> {
  await kubectl.run('delete', 'crd', ...crds, '--ignore-not-found', '--wait=false');
  let round = 0;
  await waitUntil('the CRDs to be gone', { timeoutMs: 60_000, intervalMs: 500 }, async () => {
    const left = await kubectl.run('get', 'crd', ...crds, '--ignore-not-found', '-o', 'name');
    const names = left.split('\n').filter((name) => name !== '');
    round += 1;
    if (round > 4)
      await Promise.all(names.map((name) => kubectl.try('annotate', name, '--overwrite', `round=${round}`)));
    return names.length === 0;
  });
}
