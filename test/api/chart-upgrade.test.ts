/**
 * From the released version before this one to this one and back, with policies in place: by Helm 3, by Helm 4, and by Helm 4 what Helm 3 had
 * installed. What this does to packets: test/cluster/upgrade.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { Helm, HelmVersion } from '../support/helm.ts';
import { cidrRule, policy, profile } from '../support/policies.ts';
import { previousChart } from '../support/releases.ts';
import { liveObjects, resourceVersions } from './support/chart-live.ts';
import { CRDS, clearPlatform, clusterRelease } from './support/chart-platform.ts';
import { type Release, release, rendered, tryRelease, uninstall } from './support/chart-release.ts';
import { type ChartSite, chartSite } from './support/chart-site.ts';

const PATHS: readonly (readonly [before: HelmVersion, after: HelmVersion])[] = [
  [3, 3],
  [4, 4],
  [3, 4],
];
const CRD = 'egresspolicies.agentplane.dev';

describe.each(PATHS)('installed by Helm %i, upgraded by Helm %i', (before, after) => {
  let site: ChartSite;
  let older: Helm;
  let newer: Helm;
  /** In the order in which a customer takes them. */
  let releases: readonly Release[];
  let uids: Readonly<Record<string, string | undefined>>;

  beforeAll(async () => {
    site = await chartSite(`upgrade-${before}-${after}`);
    await clearPlatform(site.kubectl);
    older = await site.helm(before);
    newer = await site.helm(after);
    const { probe: _, ...values } = site.release.values;
    releases = [CRDS, clusterRelease([site.install]), { ...site.release, values }];
    for (const each of releases) await release(older, 'install', asReleased(each));
    await served();
    uids = await policyUids();
  });

  afterAll(async () => {
    for (const each of [...releases].reverse()) await uninstall(newer, each);
    await site.remove();
  });

  const asReleased = (each: Release): Release => ({ ...each, packaged: previousChart(each.chart) });

  /** The API server serves a new CRD a moment after it has accepted it. */
  function served(): Promise<void> {
    return waitUntil('policies to be stored', { timeoutMs: 20_000, intervalMs: 100 }, async () => {
      await site.kubectl.apply(
        site.governed.flatMap((each) => [profile(each), policy(each, 'live', { allow: [cidrRule] })]),
      );
      return true;
    });
  }

  async function policyUids(): Promise<Readonly<Record<string, string | undefined>>> {
    const found = await Promise.all(
      site.governed.flatMap((namespace) =>
        [['runtimeprofile', 'research'] as const, ['egresspolicy', 'live'] as const].map(async ([kind, name]) => {
          const seen = await site.kubectl.get<KubeObject>(kind, name, '-n', namespace);
          return [`${namespace}/${kind}`, seen?.metadata.uid] as const;
        }),
      ),
    );
    return Object.fromEntries(found);
  }

  /** Of every object that both versions render. */
  async function liveUids(): Promise<Readonly<Record<string, unknown>>> {
    const objects = (await Promise.all(releases.map((each) => rendered(newer, asReleased(each))))).flat();
    const live = await liveObjects(site.kubectl, objects);
    return Object.fromEntries(live.map((each) => [idOf(each), each.metadata.uid]));
  }

  const idOf = ({ kind, metadata: { namespace, name } }: KubeObject): string => `${kind} ${namespace}/${name}`;

  /** What a new policy says before anybody has judged it: from the schema of the CRD. */
  async function statusOfNew(name: string): Promise<unknown> {
    const [namespace] = site.governed;
    await site.kubectl.apply([policy(namespace, name, { allow: [cidrRule] })]);
    const seen = await site.kubectl.get<KubeObject>('egresspolicy', name, '-n', namespace);
    await site.kubectl.run('delete', 'egresspolicy', name, '-n', namespace);
    return seen?.status;
  }

  it('takes over every object as it is, and brings what is new in the CRDs', async () => {
    const olderUids = await liveUids();
    expect(await statusOfNew('before')).toBeUndefined();
    for (const each of releases) await release(newer, 'upgrade', each);
    expect(await liveUids()).toEqual(olderUids);
    expect(await policyUids()).toEqual(uids);
    await waitUntil('the newer CRD to be served', { timeoutMs: 20_000, intervalMs: 200 }, async () => {
      return JSON.stringify(await statusOfNew('after')) === '{"observedGeneration":0}';
    });
  });

  it('writes nothing when it is done again', async () => {
    const objects = (await Promise.all(releases.map((each) => rendered(newer, each)))).flat();
    const versions = async () => resourceVersions(await liveObjects(site.kubectl, objects));
    const first = await versions();
    for (const each of releases) await release(newer, 'upgrade', each);
    expect(await versions()).toEqual(first);
  });

  it('goes back: no CRD and no policy is deleted, and every object of the older version is there', async () => {
    const before = await site.kubectl.get<KubeObject>('crd', CRD);
    for (const { name, namespace } of [...releases].reverse())
      await newer.run('rollback', name, '1', '--namespace', namespace);
    expect((await site.kubectl.get<KubeObject>('crd', CRD))?.metadata.uid).toBe(before?.metadata.uid);
    expect(await policyUids()).toEqual(uids);
    for (const [id, uid] of Object.entries(await liveUids())) expect(uid, id).toBeDefined();
  });

  it('forward again, after somebody has scaled the operator by hand: Helm 4 names who, where it had installed by its own means', async () => {
    const scaled = ['deployment/agentplane-operator', '-n', site.install, '--replicas=3'];
    await site.kubectl.run('scale', ...scaled);
    for (const each of releases.filter(({ chart }) => chart !== 'agentplane')) await release(newer, 'upgrade', each);
    const last = releases.find(({ chart }) => chart === 'agentplane') as Release;
    const { code, stderr } = await tryRelease(newer, 'upgrade', last);
    // What Helm 3 has installed stays applied as Helm 3 does it.
    expect(code === 0).toBe(before === 3);
    if (before === 4) {
      expect(stderr).toMatch(/conflict with "kubectl" with subresource "scale" using apps\/v1: \.spec\.replicas/);
      await release(newer, 'upgrade', last, '--force-conflicts');
    }
    const operator = await site.kubectl.get<KubeObject>('deployment', 'agentplane-operator', '-n', site.install);
    expect(operator?.spec).toMatchObject({ replicas: 1 });
    expect(await policyUids()).toEqual(uids);
  });

  it('is uninstalled and installed anew with the policies in place: none of them is lost', async () => {
    for (const each of [...releases].reverse()) await uninstall(newer, each);
    expect(await policyUids()).toEqual(uids);
    for (const each of releases) await release(newer, 'install', each);
    expect(await policyUids()).toEqual(uids);
    const floor = await site.kubectl.get<KubeObject>('networkpolicy', 'agentplane-floor', '-n', site.governed[0]);
    expect(floor).toBeDefined();
  });

  it('lets a governed namespace go within a minute', async () => {
    const [, namespace] = site.governed;
    await site.kubectl.run('delete', 'namespace', namespace, '--wait=true', '--timeout=60s');
  });
});
