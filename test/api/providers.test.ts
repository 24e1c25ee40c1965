/**
 * Every situation of a network provider, staged one after the other: what the inventory reports, what becomes of policies that were in
 * force before, and that nothing opens on the way.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { inventoryFlags } from '../../src/commands/inventory.ts';
import { OBSERVED_DAEMON_SETS } from '../../src/compile/providers.ts';
import { CAPABILITY_REPORTS } from '../../src/controllers/resources.ts';
import { auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { conditionOf, summary } from '../support/policies.ts';
import { ciliumCluster, unstageCilium } from '../support/staged-cilium.ts';
import { type StagedCluster, stageCluster } from '../support/staged-cluster.ts';
import { type GovernedSite, startGovernedSite } from './support/governed-site.ts';
import { INSTALL_NAMESPACE } from './support/installation.ts';
import {
  expectOtherThan,
  JUDGED_POLICIES,
  readReport,
  specsOf,
  waitForJudgement,
  waitForReport,
} from './support/provider-judgement.ts';
import { PINNED, UNPINNED } from './support/provider-situations.ts';
import { type RunningInventory, runInventory } from './support/running-inventory.ts';
import type { Situation } from './support/situation.ts';
import { withLookAlike, withoutRight } from './support/staged-rights.ts';

const namespace = 'providers';
const intervalMs = 200;
const USUAL_INTERVAL_MS = 1000 * Number(inventoryFlags.find(({ name }) => name === 'interval-seconds')?.default);
const INVENTORY_USER = `system:serviceaccount:${INSTALL_NAMESPACE}:agentplane-inventory`;
const REPORT = { namespace: INSTALL_NAMESPACE, name: 'cluster' };
let site: GovernedSite;
let inventory: RunningInventory;
/** All that may ever be in force: the floor, and what each policy is compiled to for each provider. */
const known = new Set<string>();

const learn = async () => {
  for (const spec of specsOf(await site.policyObjects())) known.add(spec);
};

beforeAll(async () => {
  site = await startGovernedSite(namespace, { cilium: false });
  await site.inventory.stop();
  inventory = await runInventory(site.controlPlane, { pin: 'auto', intervalMs });
  await stageCluster(site.admin, { daemonSets: [{ name: 'kube-router' }] });
  await site.applyPolicy('addresses', JUDGED_POLICIES.addresses.spec);
  await site.ready('addresses');
  await learn();
  await stageCluster(site.admin, ciliumCluster());
  await site.applyPolicy('domains', JUDGED_POLICIES.domains.spec);
  await Promise.all([site.ready('addresses'), site.ready('domains')]);
  await learn();
}, 90_000);

afterAll(async () => {
  await inventory.stop();
  await site.operator.stop();
  await unstageCilium(site.kubectl);
});

const expectOnlyKnown = async () => {
  expect(specsOf(await site.policyObjects()).filter((spec) => !known.has(spec))).toEqual([]);
};

async function comesTrue(situation: Situation): Promise<void> {
  expectOtherThan(situation, await readReport(site.admin));
  const { cluster, without, lookAlike } = situation;
  const restoreRight = without === undefined ? undefined : await withoutRight(site.admin, without);
  const restoreApi = lookAlike === undefined ? undefined : await withLookAlike(site.kubectl);
  try {
    await stageCluster(site.admin, cluster);
    await waitForReport(site.admin, situation);
    await waitForJudgement(site.admin, namespace, situation);
    // Of a look-alike's objects the field is not served, whatever is stored: nothing can be compared.
    if (lookAlike === undefined) await expectOnlyKnown();
  } finally {
    await restoreRight?.();
    await restoreApi?.();
  }
}

describe('a situation', () => {
  it.each(UNPINNED)('$name', comesTrue);
});

describe.each(PINNED)('with $pin pinned', ({ pin, situations }) => {
  beforeAll(async () => {
    await inventory.stop();
    inventory = await runInventory(site.controlPlane, { pin, intervalMs });
  });

  it.each(situations)('$name', comesTrue);
});

describe('a provider that gets worse and better under policies in force', () => {
  const versions = async () =>
    Object.fromEntries((await site.policyObjects()).map(({ metadata }) => [metadata.name, metadata.resourceVersion]));

  it('changes their status within seconds in a usual installation, and no object that enforces', async () => {
    await inventory.stop();
    await stageCluster(site.admin, ciliumCluster());
    inventory = await runInventory(site.controlPlane, { pin: 'auto', intervalMs: USUAL_INTERVAL_MS });
    await Promise.all([site.ready('addresses'), site.ready('domains')]);
    const before = await versions();
    const secondsUntil = async (cluster: StagedCluster, name: string, reason: string) => {
      const start = performance.now();
      await stageCluster(site.admin, cluster);
      await site.reason(name, reason);
      return (performance.now() - start) / 1000;
    };
    const worse = ciliumCluster({ desired: 2, ready: 1 });
    const seconds = [
      await secondsUntil(worse, 'domains', 'UnsupportedProvider'),
      await secondsUntil(ciliumCluster(), 'domains', 'Ready'),
    ];
    expect(Math.max(...seconds), `${seconds}`).toBeLessThan(USUAL_INTERVAL_MS / 1000 + 3);
    expect(await versions()).toEqual(before);
  });
});

describe('a report', () => {
  const refresh = async () => {
    inventory = await runInventory(site.controlPlane, { pin: 'auto', intervalMs });
    await inventory.published();
    await Promise.all([site.ready('addresses'), site.ready('domains')]);
  };

  it('is looked at again and again, and written once while nothing changes', async () => {
    await inventory.stop();
    await refresh();
    const mark = await auditMark(controlPlaneOfWorker());
    const requests = async () =>
      auditMatching(await auditBetween(controlPlaneOfWorker(), mark, await auditMark(controlPlaneOfWorker())), {
        user: INVENTORY_USER,
      });
    await waitFor('ten looks', { timeoutMs: 10_000, intervalMs: 200 }, async () => {
      const counts = auditCounts(await requests());
      return (counts['get apps/daemonsets'] ?? 0) >= 10 * OBSERVED_DAEMON_SETS.length
        ? { done: true, value: undefined }
        : { done: false, saw: JSON.stringify(counts) };
    });
    expect(auditMatching(await requests(), { verb: WRITES })).toEqual([]);
  });

  it('that is too old counts for nothing, and what is in force stays', async () => {
    await inventory.stop();
    const status = { observedAt: '2020-01-01T00:00:00Z' };
    await site.admin.mergePatch(
      CAPABILITY_REPORTS,
      REPORT,
      { status },
      { fieldManager: 'stage', subresource: 'status' },
    );
    const seen = await site.reason('domains', 'InventoryStale');
    expect(summary(seen)).toMatchObject({ Supported: 'Unknown/InventoryStale', Degraded: 'True/ProviderLost' });
    expect(conditionOf(seen, 'Supported')?.message).toContain('2020-01-01T00:00:00Z');
    await expectOnlyKnown();
    await refresh();
  });

  it('that is missing counts for nothing, and what is in force stays', async () => {
    await inventory.stop();
    const { metadata } = await site.admin.get(CAPABILITY_REPORTS, REPORT);
    await site.admin.delete(CAPABILITY_REPORTS, REPORT, { uid: metadata.uid ?? '' });
    const seen = await site.reason('domains', 'InventoryMissing');
    expect(summary(seen)).toMatchObject({ Supported: 'Unknown/InventoryMissing', Degraded: 'True/ProviderLost' });
    await expectOnlyKnown();
    await refresh();
  });
});
