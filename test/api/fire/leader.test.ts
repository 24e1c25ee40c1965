/** Two replicas; the leader is stopped past its lease, with answers waiting for it, and goes on as if nothing had happened. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type AuditEntry, auditBetween, auditMatching, WRITES } from '../../support/auditLog.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { cidrRule } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { OPERATOR_USER } from '../support/governed-site.ts';
import { mark } from './audit.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies, waitUntilLeading } from './site.ts';

const namespace = 'leader';
const ready = { allow: [cidrRule] };
const changed = { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] };

interface Replica {
  readonly proxy: FaultProxy;
  readonly running: Running;
}

let site: FireSite;
let frozen: Replica;
let other: Replica;

beforeAll(async () => {
  site = await startFireSite([namespace]);
  frozen = await start('frozen');
  await waitUntilLeading(() => frozen.running);
  other = await start('other');
});

afterAll(async () => {
  for (const { running, proxy } of [frozen, other]) {
    await running.kill('SIGKILL');
    await proxy.close();
  }
});

async function start(name: string): Promise<Replica> {
  const proxy = await startFaultProxy(site.controlPlane, { userAgent: name });
  return { proxy, running: await site.launch(await site.kubeconfig(name, proxy), name) };
}

const writesOf = (entries: readonly AuditEntry[], name: string) =>
  auditMatching(entries, { user: OPERATOR_USER, verb: WRITES })
    .filter(({ userAgent }) => userAgent === name)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource} ${objectRef?.name}`);

describe('a leader that is stopped past its lease', () => {
  it('writes nothing when it goes on: not what it had begun, not what has happened since, and no Event', async () => {
    await applyPolicies(site, namespace, { old: ready });
    await waitForPolicies(site, { namespace, names: ['old'] });
    const from = await mark();
    // One reconcile is stopped between its two writes, one before its Event.
    const status = frozen.proxy.cut('before', ({ path }) => path.endsWith('/egresspolicies/told/status'));
    await applyPolicies(site, namespace, { told: ready });
    await status.reached(1);
    const output = frozen.proxy.cut(
      'before',
      ({ method, path }) => method === 'POST' && path.endsWith('/networkpolicies'),
    );
    await applyPolicies(site, namespace, { begun: ready });
    await output.reached(1);
    frozen.running.child.kill('SIGSTOP');
    // Committed at once, by the leader that it was; the answers wait in its sockets.
    for (const cut of [status, output]) cut.end('pass');
    await waitUntilLeading(() => other.running);
    await applyPolicies(site, namespace, { old: changed, since: ready });
    await waitForPolicies(site, { namespace, names: ['old', 'told', 'begun', 'since'] });
    const thawed = await mark();
    frozen.running.child.kill('SIGCONT');
    expect(await frozen.running.exited).toBe(1);
    const before = await auditBetween(inject('embedded'), from, thawed);
    const after = await auditBetween(inject('embedded'), thawed, await mark());
    expect(writesOf(before, 'frozen').filter((write) => write.includes('networkpolicies'))).toHaveLength(2);
    expect(writesOf(after, 'frozen')).toEqual([]);
    expect(frozen.running.logs()).toContain('"end":"lost"');
  });

  it('leaves everything to the other one, which goes on', async () => {
    await applyPolicies(site, namespace, { next: ready });
    await waitForPolicies(site, { namespace, names: ['next'] });
  });
});
