/** The charts of the platform admin, through their life with both Helms. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Helm } from '../support/helm.ts';
import { profile } from '../support/policies.ts';
import { createInstaller } from './support/chart-installer.ts';
import { CRDS, clearPlatform, clusterRelease } from './support/chart-platform.ts';
import { release, tryRelease, uninstall } from './support/chart-release.ts';
import { type ChartSite, chartSite, HELM_VERSIONS } from './support/chart-site.ts';

let site: ChartSite;

beforeAll(async () => {
  site = await chartSite('platform');
});

afterAll(() => site.remove());

function crd(): Promise<KubeObject | undefined> {
  return site.kubectl.get<KubeObject>('crd', 'runtimeprofiles.agentplane.dev');
}

function systemRole(): Promise<KubeObject | undefined> {
  return site.kubectl.get<KubeObject>('role', '-n', 'kube-system', 'agentplane-inventory');
}

async function createProfile(): Promise<KubeObject | undefined> {
  const [namespace] = site.governed;
  // The API server serves a new CRD a moment after it has accepted it.
  await waitUntil('RuntimeProfiles to be served', { timeoutMs: 20_000, intervalMs: 100 }, async () => {
    await site.kubectl.apply([profile(namespace)]);
    return true;
  });
  return site.kubectl.get<KubeObject>('runtimeprofile', '-n', namespace, 'research');
}

describe.each(HELM_VERSIONS)('with Helm %i', (version) => {
  let helm: Helm;

  beforeAll(async () => {
    await clearPlatform(site.kubectl);
    helm = await site.helm(version);
  });

  it('a namespace admin can install neither: Helm says what is forbidden', async () => {
    const user = `chart-tenant-${version}`;
    const { kubeconfigPath } = await createInstaller(site, user);
    const tenant = await site.helm(version, kubeconfigPath);
    const crds = await tryRelease(tenant, 'install', { ...CRDS, namespace: site.install });
    expect(crds.stderr).toMatch(/cannot get resource "customresourcedefinitions".* at the cluster scope/);
    const cluster = await tryRelease(tenant, 'install', {
      ...clusterRelease([site.install]),
      namespace: site.install,
    });
    expect(cluster.stderr).toMatch(/cannot get resource "roles".* in the namespace "kube-system"/);
    expect(await crd()).toBeUndefined();
    expect(await systemRole()).toBeUndefined();
  });

  it('the CRDs are installed, upgraded and, when their release is uninstalled, kept with every object', async () => {
    await release(helm, 'install', CRDS);
    const before = await createProfile();
    const definition = await crd();
    await release(helm, 'upgrade', { ...CRDS, values: { annotations: { 'example.com/note': 'kept' } } });
    expect((await crd())?.metadata.annotations).toMatchObject({ 'example.com/note': 'kept' });
    await uninstall(helm, CRDS);
    expect((await crd())?.metadata).toMatchObject({ uid: definition?.metadata.uid });
    expect((await crd())?.metadata.deletionTimestamp).toBeUndefined();
    expect((await createProfile())?.metadata.uid).toBe(before?.metadata.uid);
  });

  it('the CRDs that were kept are taken up again by a later release, of either Helm', async () => {
    const before = await crd();
    for (const each of HELM_VERSIONS) {
      const other = await site.helm(each);
      await release(other, 'install', CRDS);
      await uninstall(other, CRDS);
    }
    expect((await crd())?.metadata.uid).toBe(before?.metadata.uid);
    expect((await crd())?.metadata.annotations).not.toHaveProperty('example.com/note');
  });

  it('the Role in kube-system is installed, covers the installs that are listed, and goes with its release', async () => {
    await release(helm, 'install', clusterRelease([site.install]));
    expect(await systemRole()).toBeDefined();
    await release(helm, 'upgrade', clusterRelease([site.install, 'chart-platform-second']));
    const binding = await site.kubectl.get<KubeObject>('rolebinding', '-n', 'kube-system', 'agentplane-inventory');
    const subject = { kind: 'ServiceAccount', name: 'agentplane-inventory' };
    expect(binding?.subjects).toEqual([
      { ...subject, namespace: site.install },
      { ...subject, namespace: 'chart-platform-second' },
    ]);
    await uninstall(helm, clusterRelease([]));
    expect(await systemRole()).toBeUndefined();
  });
});
