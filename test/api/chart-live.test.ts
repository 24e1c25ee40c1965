/**
 * What is rendered is what is live. Where it were not, a GitOps tool would report a difference for ever, and an upgrade would
 * write where nothing has changed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import type { Helm } from '../support/helm.ts';
import { comparable, dryApply, liveObjects, resourceVersions } from './support/chart-live.ts';
import { CRDS, clearPlatform, clusterRelease, uninstallPlatform } from './support/chart-platform.ts';
import { type Release, release, rendered, uninstall } from './support/chart-release.ts';
import { type ChartSite, chartSite, HELM_VERSIONS } from './support/chart-site.ts';

let site: ChartSite;

beforeAll(async () => {
  site = await chartSite('live');
});

afterAll(() => site.remove());

function releases(): readonly Release[] {
  const values = { ...site.release.values, operator: { replicas: 2 } };
  return [CRDS, clusterRelease([site.install]), { ...site.release, values }];
}

async function allRendered(helm: Helm): Promise<readonly JsonMap[]> {
  return (await Promise.all(releases().map((each) => rendered(helm, each)))).flat();
}

describe.each(HELM_VERSIONS)('after an installation with Helm %i', (version) => {
  let helm: Helm;
  let objects: readonly JsonMap[];

  beforeAll(async () => {
    await clearPlatform(site.kubectl);
    helm = await site.helm(version);
    await Promise.all(releases().map((each) => release(helm, 'install', each)));
    objects = await allRendered(helm);
  });

  afterAll(async () => {
    await uninstall(helm, site.release);
    await uninstallPlatform(helm);
  });

  it('every object of the three charts is stored as it is rendered', async () => {
    expect(comparable(await liveObjects(site.kubectl, objects))).toEqual(comparable(objects));
    expect(new Set(objects.map(({ kind }) => kind))).toEqual(
      new Set([
        'CustomResourceDefinition',
        'Deployment',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Role',
        'RoleBinding',
        'ServiceAccount',
        'ValidatingAdmissionPolicy',
      ]),
    );
  });

  it('a GitOps tool that applies the same on top changes nothing', async () => {
    const live = comparable(await liveObjects(site.kubectl, objects));
    expect(comparable(await dryApply(site.kubectl, objects))).toEqual(live);
  });

  it('an upgrade to the same, by either Helm, writes no object', async () => {
    const before = resourceVersions(await liveObjects(site.kubectl, objects));
    for (const each of HELM_VERSIONS) {
      const other = await site.helm(each);
      await Promise.all(releases().map((every) => release(other, 'upgrade', every)));
    }
    expect(resourceVersions(await liveObjects(site.kubectl, objects))).toEqual(before);
  });

  it('an upgrade to something else writes the object concerned, and no other', async () => {
    const before = resourceVersions(await liveObjects(site.kubectl, objects));
    const values = { ...site.release.values, operator: { replicas: 2, workers: 8 } };
    await release(helm, 'upgrade', { ...site.release, values });
    const after = resourceVersions(await liveObjects(site.kubectl, objects));
    expect(Object.keys(after).filter((object) => after[object] !== before[object])).toEqual([
      `apps/v1 Deployment ${site.install}/agentplane-operator`,
    ]);
  });
});

/** Kinds of the Prometheus Operator and of Cilium, neither of which is installed here. */
const NOT_SERVED = ['ServiceMonitor', 'PrometheusRule', 'CiliumNetworkPolicy'];

describe('with the values of every fixture', async () => {
  const [chart] = (await loadCharts(REPOSITORY)).filter(({ name }) => name === 'agentplane');
  const fixtures = Object.entries(chart?.fixtures ?? {});

  /** The fixture with the namespaces of this site in place of its own, which do not exist here. */
  function hereGoverned(fixture: JsonMap): JsonMap {
    const { governedNamespaces = [], probe = {}, ...rest } = fixture;
    const here = (governedNamespaces as readonly JsonMap[]).map((each, i) => {
      const name = site.governed[i];
      if (name === undefined) throw new Error(`a fixture with ${i + 1} namespaces: this site has fewer`);
      return { ...each, name };
    });
    return { ...rest, governedNamespaces: here, probe: { ...(probe as JsonMap), namespace: site.probe } };
  }

  it('there are fixtures', () => {
    expect(fixtures.length).toBeGreaterThan(3);
  });

  it.each(fixtures)('%s: what the API server would store is what is rendered', async (_, fixture) => {
    const helm = await site.helm(4);
    const all = await rendered(helm, { ...site.release, values: hereGoverned(fixture) });
    const objects = all.filter(({ kind }) => !NOT_SERVED.includes(String(kind)));
    expect(comparable(await dryApply(site.kubectl, objects))).toEqual(comparable(objects));
  });
});
