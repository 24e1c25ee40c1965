/** A replica whose watch tells nothing any more takes the lead over: what the leader before wrote last is no drift, and is not written again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EGRESS_POLICIES, NETWORK_POLICIES } from '../../../src/controllers/resources.ts';
import { type AuditMark, auditCounts, auditMatching, WRITES } from '../../support/auditLog.ts';
import { type FaultProxy, isWatch, type Match, startFaultProxy } from '../../support/fault-proxy.ts';
import { cidrRule } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { INSTALL_NAMESPACE } from '../support/installation.ts';
import { mark, requestsSince } from './audit.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies, waitUntilLeading } from './site.ts';

const namespace = 'takeover';
const first = { allow: [cidrRule] };
const second = { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] };

let site: FireSite;
let leader: Running;
let standby: Running;
let proxy: FaultProxy;
/** What an operator lists when it starts: everything that it watches. */
let everything: Readonly<Record<string, number>>;

beforeAll(async () => {
  site = await startFireSite([namespace]);
  const from = await mark();
  leader = await site.launch(await site.kubeconfig('leader'), 'leader');
  await waitUntilLeading(() => leader);
  await applyPolicies(site, namespace, { changed: first });
  await waitForPolicies(site, { namespace, names: ['changed'] });
  everything = await listsSince(from);
  expect(Object.keys(everything)).toHaveLength(7);
  proxy = await startFaultProxy(site.controlPlane);
  standby = await site.launch(await site.kubeconfig('standby', proxy), 'standby');
});

afterAll(async () => {
  for (const each of [leader, standby]) await each?.kill('SIGKILL');
  await proxy?.close();
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

/** Also those that were not answered. */
async function listsSince(from: AuditMark): Promise<Readonly<Record<string, number>>> {
  return auditCounts(auditMatching(await requestsSince(from), { verb: 'list' }));
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
    expect(await listsSince(from)).toEqual(everything);
  });
});

describe('a replica that finds the lease free', () => {
  it.each(['released', 'gone'])('lists everything once: %s', async (how) => {
    await standby.stop();
    const lease = ['lease', '-n', INSTALL_NAMESPACE, 'agentplane-operator'];
    if (how === 'gone') await site.kubectl.run('delete', ...lease);
    const from = await mark();
    const again = await site.launch(await site.kubeconfig('again'), `again-${how}`);
    try {
      await waitUntilLeading(() => again);
      expect(await writesUntilInForce(from, `last-${how}`)).toEqual({
        'create networking.k8s.io/networkpolicies': 1,
        'patch agentplane.dev/egresspolicies/status': 1,
      });
      expect(await listsSince(from)).toEqual(everything);
    } finally {
      await again.stop();
    }
  });
});
