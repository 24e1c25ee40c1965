/** Two replicas; the leader is stopped past its lease, with answers waiting for it, and goes on as if nothing had happened. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../scripts/lib/exec.ts';
import { waitUntil } from '../../../scripts/lib/wait-for.ts';
import { type AuditEntry, auditBetween, auditMatching, WRITES } from '../../support/auditLog.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { type FaultProxy, type Match, startFaultProxy } from '../../support/fault-proxy.ts';
import { cidrRule } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { OPERATOR_USER } from '../support/governed-site.ts';
import { mark } from './audit.ts';
import {
  applyPolicies,
  type FireSite,
  type OperatorOptions,
  startFireSite,
  waitForPolicies,
  waitUntilLeading,
} from './site.ts';

const namespace = 'leader';
const OLD = Array.from({ length: 8 }, (_, i) => `old-${i}`);
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
  const preload = path.join(import.meta.dirname, 'stop-before-write.ts');
  frozen = await start('frozen', { preload, env: { STOP_BEFORE: '/egresspolicies/decided/status' } });
  await waitUntilLeading(() => frozen.running);
  other = await start('other');
});

afterAll(async () => {
  for (const { running, proxy } of [frozen, other]) {
    await running.kill('SIGKILL');
    await proxy.close();
  }
});

async function start(name: string, options: OperatorOptions = {}): Promise<Replica> {
  const proxy = await startFaultProxy(site.controlPlane, { userAgent: name });
  return { proxy, running: await site.launch(await site.kubeconfig(name, proxy), name, options) };
}

function firstOf(matches: Match): Match {
  let isFirst = true;
  return (request) => {
    const isIt = isFirst && matches(request);
    if (isIt) isFirst = false;
    return isIt;
  };
}

/** Until the kernel says that it is stopped. */
function stopped({ running }: Replica): Promise<void> {
  return waitUntil('the leader to be stopped', { timeoutMs: 10_000, intervalMs: 20 }, async () => {
    return (await run('ps', ['-o', 'state=', '-p', String(running.child.pid)])).startsWith('T');
  });
}

const writesOf = (entries: readonly AuditEntry[], name: string) =>
  auditMatching(entries, { user: OPERATOR_USER, verb: WRITES })
    .filter(({ userAgent }) => userAgent === name)
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource} ${objectRef?.name}`);

describe('a leader that is stopped past its lease', () => {
  it('writes nothing when it goes on: not what it had decided, not what it was told meanwhile', async () => {
    // Several at once, so that connections are left idle: the next write needs no new one.
    await applyPolicies(site, namespace, Object.fromEntries(OLD.map((name) => [name, ready])));
    await waitForPolicies(site, { namespace, names: OLD });
    const from = await mark();
    // Committed by the leader that it still is; the answer waits in its socket.
    const create: Match = ({ method, path: at }) => method === 'POST' && at.endsWith('/networkpolicies');
    const begun = frozen.proxy.cut('before', { matches: firstOf(create) });
    await applyPolicies(site, namespace, { begun: ready });
    await begun.reached(1);
    await applyPolicies(site, namespace, { decided: ready });
    await stopped(frozen);
    begun.end('pass');
    await waitUntilLeading(() => other.running);
    await applyPolicies(site, namespace, { [OLD[0] ?? '']: changed, since: ready });
    await waitForPolicies(site, { namespace, names: [...OLD, 'decided', 'begun', 'since'] });
    const thawed = await mark();
    frozen.running.child.kill('SIGCONT');
    expect(await frozen.running.exited).toBe(1);
    const before = await auditBetween(controlPlaneOfWorker(), from, thawed);
    const after = await auditBetween(controlPlaneOfWorker(), thawed, await mark());
    expect(writesOf(before, 'frozen').filter((write) => write.includes('networkpolicies'))).toHaveLength(2);
    expect(writesOf(after, 'frozen')).toEqual([]);
    expect(frozen.running.logs()).toContain('"end":"lost"');
  });

  it('leaves everything to the other one, which goes on', async () => {
    await applyPolicies(site, namespace, { next: ready });
    await waitForPolicies(site, { namespace, names: ['next'] });
  });
});
