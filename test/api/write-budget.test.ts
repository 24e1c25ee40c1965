/** What the operator writes, counted from the audit log of the API server. */
import { beforeAll, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import { EGRESS_POLICIES } from '../../src/controllers/resources.ts';
import {
  type AuditEntry,
  type AuditMark,
  auditBetween,
  auditCounts,
  auditMark,
  auditMatching,
  WRITES,
} from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { reconciled } from '../support/metrics.ts';
import { PROFILE, policy, profile } from '../support/policies.ts';
import type { Running } from '../support/process.ts';
import { stageCilium } from '../support/staged-cilium.ts';
import { installCiliumCrd } from '../support/without-nodes.ts';
import { OPERATOR_USER } from './support/governed-site.ts';
import { INSTALL_NAMESPACE, type Installation, install } from './support/installation.ts';

const namespace = 'budget';
const POLICIES = 200;
const IDLE_MS = 60_000;
let site: Installation;

beforeAll(async () => {
  site = await install([namespace]);
  await installCiliumCrd(site);
  await stageCilium(site.kubectl);
  await site.kubectl.apply([profile(namespace)]);
});

async function requestsSince(mark: AuditMark): Promise<readonly AuditEntry[]> {
  const now = await auditMark(controlPlaneOfWorker());
  const entries = auditMatching(await auditBetween(controlPlaneOfWorker(), mark, now), { user: OPERATOR_USER });
  return entries.filter((entry) => entry.objectRef?.resource !== 'events');
}

const writesOf = (entries: readonly AuditEntry[]) => auditMatching(entries, { verb: WRITES });
const withoutLease = (entries: readonly AuditEntry[]) =>
  entries.filter((entry) => entry.objectRef?.resource !== 'leases');

async function waitForAllReady(): Promise<void> {
  await waitFor(`${POLICIES} policies to be Ready`, { timeoutMs: 60_000, intervalMs: 250 }, async () => {
    const { items } = await site.admin.list(EGRESS_POLICIES, { namespace });
    const active = items.filter((item) => isActive(item as Observable)).length;
    return active === POLICIES ? { done: true, value: undefined } : { done: false, saw: `${active} are` };
  });
}

describe(`${POLICIES} policies`, () => {
  let operator: Running;
  let inventory: Running;

  it('cost two writes each and no read when they are created', async () => {
    inventory = await site.startInventory();
    operator = await site.startOperator();
    // The profile costs a status of its own, and is closed until a policy is in force.
    await site.kubectl.run(
      'wait',
      'runtimeprofile',
      PROFILE,
      '-n',
      namespace,
      '--for=condition=Accepted',
      '--timeout=30s',
    );
    const mark = await auditMark(controlPlaneOfWorker());
    const rule = (i: number) => ({
      name: 'corp',
      to: [{ cidr: { block: `203.0.${i}.0/24` } }],
      ports: [{ port: 443 }],
    });
    await site.kubectl.apply(
      Array.from({ length: POLICIES }, (_, i) => policy(namespace, `policy-${i}`, { allow: [rule(i)] })),
    );
    await waitForAllReady();
    await site.kubectl.run(
      'wait',
      'runtimeprofile',
      PROFILE,
      '-n',
      namespace,
      '--for=condition=Ready',
      '--timeout=30s',
    );
    const requests = withoutLease(await requestsSince(mark));
    expect(auditCounts(writesOf(requests))).toEqual({
      'create cilium.io/ciliumnetworkpolicies': POLICIES,
      'patch agentplane.dev/egresspolicies/status': POLICIES,
      // The first of them opens the profile. The others change nothing of it.
      'patch agentplane.dev/runtimeprofiles/status': 1,
    });
    expect(auditCounts(auditMatching(requests, { verb: ['get', 'list'] }))).toEqual({});
  });

  it('cost nothing when the operator restarts: one list and one watch of each kind', async () => {
    expect(await operator.stop()).toBe(0);
    const mark = await auditMark(controlPlaneOfWorker());
    operator = await site.startOperator();
    await waitUntil('every policy to have been looked at', { timeoutMs: 30_000, intervalMs: 100 }, async () => {
      return (await reconciled(operator)) >= POLICIES;
    });
    const requests = await requestsSince(mark);
    expect(auditCounts(withoutLease(writesOf(requests)))).toEqual({});
    expect(auditCounts(auditMatching(requests, { verb: ['get', 'list'] }))).toEqual({
      'get coordination.k8s.io/leases': expect.any(Number),
      'list agentplane.dev/capabilityreports': 1,
      'list agentplane.dev/egresspolicies': 1,
      'list agentplane.dev/policybundles': 1,
      'list agentplane.dev/runtimeprofiles': 1,
      'list agentplane.dev/secretbindings': 1,
      'list cilium.io/ciliumnetworkpolicies': 1,
      'list networking.k8s.io/networkpolicies': 1,
      'list pods': 1,
    });
  });

  it(`and idle, the operator writes nothing but its Lease, for ${IDLE_MS / 1000} seconds in which the report beats`, async () => {
    const first = await beatOfReport();
    const mark = await auditMark(controlPlaneOfWorker());
    const end = performance.now() + IDLE_MS;
    await waitUntil('the time and a heartbeat to pass', { timeoutMs: IDLE_MS + 30_000, intervalMs: 500 }, async () => {
      return performance.now() >= end && (await beatOfReport()) !== first;
    });
    const counts = auditCounts(writesOf(await requestsSince(mark)));
    expect(Object.keys(counts)).toEqual(['patch coordination.k8s.io/leases']);
    expect(await operator.stop()).toBe(0);
    expect(await inventory.stop()).toBe(0);
  }, 120_000);
});

async function beatOfReport(): Promise<string | undefined> {
  const ref = ['capabilityreport', '-n', INSTALL_NAMESPACE, 'cluster'];
  return (await site.kubectl.get<{ status: { observedAt: string } }>(...ref))?.status.observedAt;
}
