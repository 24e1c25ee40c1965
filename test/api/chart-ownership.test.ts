/** What Helm takes for a release's own, what it refuses to take, and how it is made to. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { metadataOf } from '../chart/support/objects.ts';
import type { Helm } from '../support/helm.ts';
import { profile } from '../support/policies.ts';
import { previousChart } from '../support/releases.ts';
import { comparable, liveObjects } from './support/chart-live.ts';
import { CRDS, clearPlatform, clusterRelease } from './support/chart-platform.ts';
import { type Release, release, rendered, tryRelease, uninstall } from './support/chart-release.ts';
import { type ChartSite, chartSite, HELM_VERSIONS } from './support/chart-site.ts';

const CRD = 'runtimeprofiles.agentplane.dev';
let site: ChartSite;

beforeAll(async () => {
  site = await chartSite('ownership');
});

afterAll(() => site.remove());

/** Those of the version before, as crds/ held them then. */
async function older(helm: Helm): Promise<readonly JsonMap[]> {
  const objects = await rendered(helm, { ...CRDS, packaged: previousChart(CRDS.chart) });
  return objects.map((crd) => ({ ...crd, metadata: { name: metadataOf(crd).name } }));
}

function uidOf(kind: string, name: string, ...where: readonly string[]): Promise<string | undefined> {
  return site.kubectl.get<KubeObject>(kind, name, ...where).then((seen) => seen?.metadata.uid);
}

describe.each(HELM_VERSIONS)('with Helm %i', (version) => {
  let helm: Helm;

  beforeAll(async () => {
    helm = await site.helm(version);
  });

  describe('CRDs that kubectl applied', () => {
    beforeEach(() => clearPlatform(site.kubectl));

    afterEach(async () => {
      await site.kubectl.run('delete', 'runtimeprofile', 'research', '-n', site.governed[0]);
      await uninstall(helm, CRDS);
    });

    async function profileUid(): Promise<string | undefined> {
      const [namespace] = site.governed;
      await waitUntil('RuntimeProfiles to be served', { timeoutMs: 20_000, intervalMs: 100 }, async () => {
        await site.kubectl.apply([profile(namespace)]);
        return true;
      });
      return uidOf('runtimeprofile', 'research', '-n', namespace);
    }

    it.each([
      ['server-side', []],
      ['client-side', ['--server-side=false']],
    ] as const)('by a %s apply, in the version before: refused, and taken over when that is said', async (_, flags) => {
      await site.kubectl.apply(await older(helm), ...flags);
      const uids = [await uidOf('crd', CRD), await profileUid()];
      const { code, stderr } = await tryRelease(helm, 'install', CRDS);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/CustomResourceDefinition "[a-z.]+" in namespace "" exists and cannot be imported/);
      // As the README of the chart says. What kubectl wrote, Helm 4 overwrites only when that is said as well.
      await release(helm, 'install', CRDS, '--take-ownership', ...(version === 4 ? ['--force-conflicts'] : []));
      expect([await uidOf('crd', CRD), await profileUid()]).toEqual(uids);
      const objects = await rendered(helm, CRDS);
      expect(comparable(await liveObjects(site.kubectl, objects))).toMatchObject(comparable(objects));
      await release(helm, 'upgrade', { ...CRDS, values: { annotations: { 'example.com/note': 'taken' } } });
      const seen = await site.kubectl.get<KubeObject>('crd', CRD);
      expect(seen?.metadata.annotations).toMatchObject({ 'example.com/note': 'taken' });
    });
  });

  describe('a second release of agentplane-cluster', () => {
    const first = () => clusterRelease([site.install]);

    beforeAll(async () => {
      await clearPlatform(site.kubectl);
      await release(helm, 'install', first());
    });

    afterAll(() => uninstall(helm, first()));

    /** Not by resourceVersion: the cluster writes what it thinks of the expressions of a policy into its status. */
    async function state(): Promise<unknown> {
      const live = await liveObjects(site.kubectl, await rendered(helm, first()));
      return live.map(({ kind, metadata: { name, uid, generation, annotations } }) => ({
        ...{ kind, name, uid, generation },
        ...{ annotations },
      }));
    }

    it.each([
      ['in another namespace', () => ({ name: 'agentplane-cluster', namespace: site.install })],
      ['in the same namespace', () => ({ name: 'another', namespace: 'kube-system' })],
    ])('%s is refused before anything is written, and leaves nothing that could be uninstalled', async (_, place) => {
      const before = await state();
      const second = { ...clusterRelease([site.governed[1]]), ...place() };
      const { code, stderr } = await tryRelease(helm, 'install', second);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/"agentplane-[a-z-]+" in namespace "[a-z-]*" exists and cannot be imported/);
      expect((await helm.try('status', second.name, '--namespace', second.namespace)).stderr).toContain('not found');
      expect(await state()).toEqual(before);
      // Its twin: one release knows both installs.
      await release(helm, 'upgrade', clusterRelease([site.install, site.governed[1]]));
    });
  });

  describe('an object that an upgrade adds', () => {
    afterAll(() => uninstall(helm, site.release));

    it('is changed by the next one, and removed by the one after that, without a conflict', async () => {
      const [one, two] = site.governed;
      const governing = (...governedNamespaces: readonly JsonMap[]): Release => ({
        ...site.release,
        values: { ...site.release.values, governedNamespaces },
      });
      const added = () => site.kubectl.get<KubeObject>('role', 'agentplane-operator', '-n', two);
      await release(helm, 'install', governing({ name: one }));
      expect(await added()).toBeUndefined();
      await release(helm, 'upgrade', governing({ name: one }, { name: two, secrets: ['a'] }));
      expect(JSON.stringify(await added())).toContain('"resourceNames":["a"]');
      await release(helm, 'upgrade', governing({ name: one }, { name: two, secrets: ['b'] }));
      expect(JSON.stringify(await added())).toContain('"resourceNames":["b"]');
      await release(helm, 'upgrade', governing({ name: one }, { name: two }));
      expect(JSON.stringify(await added())).not.toContain('"resourceNames":["b"]');
      await release(helm, 'upgrade', governing({ name: one }));
      expect(await added()).toBeUndefined();
    });
  });
});
