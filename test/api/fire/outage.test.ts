/** The API server, or etcd behind it, goes away and comes back, with two replicas of the operator running. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Component } from '../../../scripts/clusters/embedded/layout.ts';
import { type AuditMark, auditCounts, auditMatching, WRITES } from '../../support/auditLog.ts';
import { metricOf } from '../../support/metrics.ts';
import { cidrRule } from '../../support/policies.ts';
import { type Supervised, supervise } from '../../support/supervised.ts';
import { listsOf, mark, requestsSince } from './audit.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies, waitUntilLeading } from './site.ts';

const namespace = 'outage';
const POLICIES = Array.from({ length: 20 }, (_, i) => `p-${i}`);
const AWAY_MS = 30_000;
/** After the API server is ready again. */
const RECOVERY_MS = 10_000;

let site: FireSite;
let first: Supervised;
/** The lease is the other one's: it lives through every outage. */
let second: Supervised;
let probes = 0;
/** What an operator lists when it starts: everything that it watches. */
let watched: readonly string[];

beforeAll(async () => {
  site = await startFireSite([namespace]);
  const kubeconfig = await site.kubeconfig('outage');
  const from = await mark();
  first = await supervise(() => site.launch(kubeconfig, 'first'));
  await waitUntilLeading(() => first.running);
  second = await supervise(() => site.launch(kubeconfig, 'second'));
  const spec = { allow: [cidrRule] };
  await applyPolicies(site, namespace, Object.fromEntries(POLICIES.map((name) => [name, spec])));
  await waitForPolicies(site, { namespace, names: POLICIES });
  watched = Object.keys(listsOf(await requestsSince(from)));
});

afterAll(async () => {
  await first.stop();
  await second.stop();
});

/** A new policy is in force within the time that is allowed, and nothing else was written on account of the outage. */
async function expectRecovered(from: AuditMark): Promise<void> {
  probes += 1;
  const name = `probe-${probes}`;
  await applyPolicies(site, namespace, { [name]: { allow: [cidrRule] } });
  await waitForPolicies(site, { namespace, names: [name] }, undefined, RECOVERY_MS);
  // What a server that is just back refuses is asked again, and was not written.
  const writes = auditMatching(await requestsSince(from), { verb: WRITES }).filter(
    ({ responseStatus }) => (responseStatus?.code ?? 0) < 300,
  );
  const told = writes.map(
    ({ verb, objectRef, requestReceivedTimestamp: at }) => `${at} ${verb} ${objectRef?.resource} ${objectRef?.name}`,
  );
  expect(auditCounts(writes), told.join(', ')).toEqual({
    'create networking.k8s.io/networkpolicies': 1,
    'patch agentplane.dev/egresspolicies/status': 1,
  });
}

async function away(component: Component, ms: number, meanwhile: () => Promise<void> = async () => undefined) {
  const bringBack = await site.controlPlane.takeDown(component);
  await Promise.all([delay(ms), meanwhile()]);
  await bringBack();
}

/** Lists that were answered to the process that lives through it. */
const listsOfSecond = () => metricOf(second.running, 'agentplane_kube_requests_total', { verb: 'list', code: '200' });

describe('the API server', () => {
  it('is restarted: every kind is listed once at most, and nobody has to be started again', async () => {
    const from = await mark();
    const before = first.exitCodes.length;
    await site.controlPlane.restart('kube-apiserver');
    await expectRecovered(from);
    const restarts = first.exitCodes.length - before;
    for (const [list, count] of Object.entries(listsOf(await requestsSince(from)))) {
      expect(count, list).toBeLessThanOrEqual(2 + restarts);
    }
    expect(second.exitCodes).toEqual([]);
  });

  it(`is away for ${AWAY_MS / 1000} s, and the history is compacted meanwhile`, async () => {
    const from = await mark();
    const before = await listsOfSecond();
    await away('kube-apiserver', AWAY_MS, () => site.controlPlane.compact());
    await expectRecovered(from);
    // The leader gave its lease up in time, which is the one reason to exit; the other one took over or it came back.
    expect(new Set(first.exitCodes)).toEqual(new Set([1]));
    expect(second.exitCodes).toEqual([]);
    const lists = (await listsOfSecond()) - before;
    expect(lists).toBeGreaterThan(0);
    expect(lists, `${watched}`).toBeLessThanOrEqual(watched.length);
  });
});

describe('etcd', () => {
  it('is away for a moment: nothing is written twice, nothing is lost', async () => {
    const from = await mark();
    await away('etcd', 4000);
    await expectRecovered(from);
  });
});
