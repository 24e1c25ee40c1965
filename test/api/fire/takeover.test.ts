/** A replica whose watch tells nothing any more takes the lead over: what the leader before wrote last is no drift, and is not written again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EGRESS_POLICIES, NETWORK_POLICIES } from '../../../src/controllers/resources.ts';
import { type AuditMark, auditCounts, auditMatching, WRITES } from '../../support/auditLog.ts';
import { type FaultProxy, isWatch, type Match, startFaultProxy } from '../../support/fault-proxy.ts';
import { cidrRule } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { listsOf, mark, requestsSince } from './audit.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies, waitUntilLeading } from './site.ts';

const namespace = 'takeover';
const first = { allow: [cidrRule] };
const second = { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] };

let site: FireSite;
let leader: Running;
let standby: Running;
let proxy: FaultProxy;

beforeAll(async () => {
  site = await startFireSite([namespace]);
  leader = await site.launch(await site.kubeconfig('leader'), 'leader');
  await waitUntilLeading(() => leader);
  proxy = await startFaultProxy(site.controlPlane);
  standby = await site.launch(await site.kubeconfig('standby', proxy), 'standby');
  await applyPolicies(site, namespace, { changed: first });
  await waitForPolicies(site, { namespace, names: ['changed'] });
});

afterAll(async () => {
  for (const each of [leader, standby]) await each.kill('SIGKILL');
  await proxy.close();
});

/** Those that enforce, and those that were asked for. */
async function versions(): Promise<readonly unknown[]> {
  const lists = await Promise.all(
    [EGRESS_POLICIES, NETWORK_POLICIES].map((resource) => site.admin.list(resource, { namespace })),
  );
  return lists.flatMap(({ items }) =>
    items.map(({ kind, metadata }) => [kind, metadata.name, metadata.resourceVersion]),
  );
}

/** What the operator has written since, once a policy that came last is in force. */
async function writesUntilInForce(from: AuditMark, name: string) {
  await applyPolicies(site, namespace, { [name]: first });
  await waitForPolicies(site, { namespace, names: [name] });
  return auditCounts(auditMatching(await requestsSince(from), { verb: WRITES }));
}

describe('a replica that lags behind', () => {
  it('lists everything when it takes over, once, before it judges anything', async () => {
    const policies: Match = (request) => isWatch(request) && request.path.endsWith('/egresspolicies');
    await proxy.watched(policies);
    const unmute = proxy.mute(policies);
    await applyPolicies(site, namespace, { changed: second });
    await waitForPolicies(site, { namespace, names: ['changed'] });
    const before = await versions();
    const from = await mark();
    await leader.stop();
    await waitUntilLeading(() => standby);
    unmute();
    expect(await writesUntilInForce(from, 'next')).toEqual({
      'create networking.k8s.io/networkpolicies': 1,
      'patch agentplane.dev/egresspolicies/status': 1,
    });
    expect(await versions()).toEqual(expect.arrayContaining([...before]));
    const lists = Object.values(listsOf(await requestsSince(from)));
    expect(lists.length).toBeGreaterThan(5);
    expect(new Set(lists)).toEqual(new Set([1]));
  });

  it('has nothing to list again where nobody led before', async () => {
    await standby.stop();
    const from = await mark();
    const again = await site.launch(await site.kubeconfig('leader'), 'leader');
    try {
      await waitUntilLeading(() => again);
      expect(await writesUntilInForce(from, 'last')).toEqual({
        'create networking.k8s.io/networkpolicies': 1,
        'patch agentplane.dev/egresspolicies/status': 1,
      });
      expect(new Set(Object.values(listsOf(await requestsSince(from))))).toEqual(new Set([1]));
    } finally {
      await again.stop();
    }
  });
});
