/** Somebody changes a generated object: undone at once, left while a policy is paused, and not fought over without end. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import { CILIUM_NETWORK_POLICIES } from '../../src/controllers/resources.ts';
import { isKubeError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type AuditMark, auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { metricOf, reconciled } from '../support/metrics.ts';
import { cidrRule, conditionOf, getPolicy, type PolicyObject, summary, waitForPolicy } from '../support/policies.ts';
import { type GovernedSite, OPERATOR_USER, startGovernedSite } from './support/governed-site.ts';

const namespace = 'drift';
const worldRule = { spec: { egress: [{ toEntities: ['world'] }] } };
const secondList = { specs: [{ endpointSelector: {}, egress: [{ toEntities: ['world'] }] }] };
let site: GovernedSite;

beforeAll(async () => {
  site = await startGovernedSite(namespace);
});

afterAll(() => site.stop());

const change = (name: string, body: Readonly<Record<string, unknown>>, manager = 'intruder') =>
  site.admin.mergePatch(CILIUM_NETWORK_POLICIES, { namespace, name }, body, { fieldManager: manager });
const seenPolicy = (name: string, holds: (seen: PolicyObject) => boolean) =>
  waitForPolicy(site.kubectl, { namespace, name }, holds);
const degraded = (name: string, reason: string) =>
  seenPolicy(name, (seen) => conditionOf(seen, 'Degraded')?.reason === reason);

async function applied(name: string, spec: Readonly<Record<string, unknown>> = {}): Promise<KubeObject> {
  await site.applyPolicy(name, { allow: [cidrRule], ...spec });
  const output = await site.cilium(await site.outputOf(name));
  if (output === undefined) throw new Error(`${name} has no output`);
  return output;
}

/** Until the object is as it was, in another version. */
function restored(before: KubeObject): Promise<KubeObject> {
  const { name } = before.metadata;
  return waitFor(`${name} to be restored`, { timeoutMs: 2000, intervalMs: 20 }, async () => {
    const now = await site.admin.get(CILIUM_NETWORK_POLICIES, { namespace, name });
    const isAsBefore =
      JSON.stringify([now.spec, now.specs, now.metadata.ownerReferences]) ===
        JSON.stringify([before.spec, before.specs, before.metadata.ownerReferences]) &&
      Object.entries(before.metadata.labels ?? {}).every(([key, value]) => now.metadata.labels?.[key] === value) &&
      now.metadata.resourceVersion !== before.metadata.resourceVersion;
    return isAsBefore ? { done: true, value: now } : { done: false, saw: JSON.stringify(now) };
  });
}

async function writesSince(from: AuditMark): Promise<Readonly<Record<string, number>>> {
  const entries = await auditBetween(controlPlaneOfWorker(), from, await auditMark(controlPlaneOfWorker()));
  const own = auditMatching(entries, { user: OPERATOR_USER, namespace, verb: WRITES });
  return auditCounts(own.filter((entry) => entry.objectRef?.resource !== 'events'));
}

const total = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, n) => sum + n, 0);

async function eventNotes(name: string): Promise<readonly string[]> {
  const list = await site.kubectl.get<{ items: { reason: string; message: string }[] }>(
    'events',
    '-n',
    namespace,
    '--field-selector',
    `involvedObject.name=${name}`,
  );
  return (list?.items ?? []).map(({ reason, message }) => `${reason}: ${message}`);
}

describe('a change that nobody is entitled to', () => {
  it.each([
    ['a widened rule', 'spec', worldRule, 'intruder changed .spec.egress'],
    ['a second list of rules', 'specs', secondList, 'intruder changed .specs'],
    [
      'an ingress rule',
      'ingress',
      { spec: { ingress: [{ fromEntities: ['world'] }] } },
      'intruder changed .spec.ingress',
    ],
    [
      'a stripped owner',
      'owner',
      { metadata: { ownerReferences: null } },
      '.metadata.ownerReferences was taken away or changed, by whom is not recorded',
    ],
    [
      'a stripped label',
      'label',
      { metadata: { labels: { 'agentplane.dev/policy': null } } },
      '.metadata.labels.agentplane.dev/policy was taken away or changed, by whom is not recorded',
    ],
  ])('%s is undone within two seconds; status, Event and metric tell', async (_, name, body, what) => {
    const before = await applied(name);
    // Somebody with nothing but a label of their own is not blamed for what another manager does.
    await change(before.metadata.name, { metadata: { labels: { theirs: 'yes' } } }, 'innocent');
    const counted = await metricOf(site.operator.running, 'agentplane_drift_total', { outcome: 'restored' });
    await change(before.metadata.name, body);
    const after = await restored(before);
    const seen = await degraded(name, 'DriftRestored');
    expect(conditionOf(seen, 'Degraded')?.message).toBe(`${what}; it has been restored`);
    expect(isActive(seen as Observable)).toBe(true);
    expect(await metricOf(site.operator.running, 'agentplane_drift_total', { outcome: 'restored' })).toBe(counted + 1);
    await waitUntil('the Event', { timeoutMs: 5000, intervalMs: 50 }, async () =>
      (await eventNotes(name)).includes(`DriftRestored: ${what}; it has been restored`),
    );
    // The second list cannot be taken out of an object: it starts afresh, without what others had added.
    if (name === 'owner') expect(after.metadata.labels).toMatchObject({ theirs: 'yes' });
  });

  it('a deleted output is created again', async () => {
    const before = await applied('deleted');
    await site.kubectl.run('delete', 'ciliumnetworkpolicy', '-n', namespace, before.metadata.name);
    await restored({ ...before, metadata: { ...before.metadata, labels: {} } });
    const seen = await degraded('deleted', 'DriftRestored');
    expect(conditionOf(seen, 'Degraded')?.message).toBe('a generated object was taken away; it has been restored');
  });
});

describe('a paused policy', () => {
  const pause = (seconds: number) => ({
    reason: 'debugging with the network team',
    until: new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
  });

  it('is told from one that is not: the change stays, says who, what, why and until when, and is undone at the end', async () => {
    const until = pause(6);
    const before = await applied('paused', { pause: until });
    await change(before.metadata.name, worldRule);
    const seen = await degraded('paused', 'DriftAccepted');
    expect(conditionOf(seen, 'Degraded')?.message).toBe(
      `intruder changed .spec.egress; it is left so until ${until.until}, says kubectl: ${until.reason}`,
    );
    expect(summary(seen)).toMatchObject({
      Applied: 'False/DriftAccepted',
      Degraded: 'True/DriftAccepted',
      Ready: 'False/DriftAccepted',
    });
    expect(isActive(seen as Observable)).toBe(false);
    expect(seen.status?.inForce).toBeUndefined();
    expect((await site.cilium(before.metadata.name))?.spec).toMatchObject(worldRule.spec);
    // Also when the operator has been restarted meanwhile.
    await site.operator.stop();
    await site.operator.start();
    await site.ready('paused');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until.until));
    const after = await site.cilium(before.metadata.name);
    expect(after?.spec).toEqual(before.spec);
    expect(after?.metadata.uid).toBe(before.metadata.uid);
  });

  it('leaves a deleted output away, and creates it when the pause is taken back', async () => {
    const before = await applied('paused-deleted', { pause: pause(600) });
    await site.kubectl.run('delete', 'ciliumnetworkpolicy', '-n', namespace, before.metadata.name);
    await degraded('paused-deleted', 'DriftAccepted');
    expect(await site.cilium(before.metadata.name)).toBeUndefined();
    await applied('paused-deleted');
  });

  it('is not one once the time is over', async () => {
    const before = await applied('paused-over', { pause: { reason: 'long ago', until: '2020-01-01T00:00:00Z' } });
    await change(before.metadata.name, worldRule);
    await restored(before);
  });

  it('of more than seven days is refused', async () => {
    await site.applyPolicy('paused-long', { allow: [cidrRule], pause: pause(8 * 86_400) });
    const seen = await site.reason('paused-long', 'InvalidPolicy');
    expect(conditionOf(seen, 'Accepted')?.message).toContain('spec.pause.until is more than 7 days ahead');
    await applied('paused-long', { pause: pause(6 * 86_400) });
  });

  it('takes a new spec all the same', async () => {
    const before = await applied('paused-new', { pause: pause(600) });
    await change(before.metadata.name, worldRule);
    await degraded('paused-new', 'DriftAccepted');
    const after = await applied('paused-new', {
      allow: [{ ...cidrRule, ports: [{ port: 8443 }] }],
      pause: pause(600),
    });
    expect(JSON.stringify(after.spec)).toContain('8443');
    expect(JSON.stringify(after.spec)).not.toContain('world');
  });
});

describe('a manager that undoes the same field again and again', () => {
  /** Alone: each time another policy of the profile is seen to be opened by what the fight is about, its status says so. */
  beforeEach(async () => {
    await site.kubectl.run('delete', 'egresspolicies', '-n', namespace, '--all');
    await waitUntil(
      'the floor to be alone',
      { timeoutMs: 20_000 },
      async () => (await site.policyObjects()).length === 1,
    );
  });

  /** Undoes at once, as often as it can, until the status says that it is contested. */
  async function fight(name: string, output: string, body: Readonly<Record<string, unknown>>): Promise<PolicyObject> {
    return waitFor('the fight to end', { timeoutMs: 20_000, intervalMs: 100 }, async () => {
      const seen = await getPolicy(site.kubectl, namespace, name);
      if (seen !== undefined && conditionOf(seen, 'Ready')?.reason === 'ContestedField')
        return { done: true, value: seen };
      await change(output, body, 'fighter').catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
      });
      return { done: false, saw: JSON.stringify(seen?.status) };
    });
  }

  /** Twenty looks at every policy, without any change of them. */
  async function provoke(): Promise<void> {
    const until = (await reconciled(site.operator.running)) + 20;
    await waitUntil('twenty reconciles', { timeoutMs: 20_000, intervalMs: 10 }, async () => {
      const label = `look-${Date.now()}`;
      await site.patch({ kind: 'networkpolicy', name: 'agentplane-floor' }, { metadata: { annotations: { label } } });
      return (await reconciled(site.operator.running)) >= until;
    });
  }

  it.each([
    ['a widened rule', 'fight-spec', worldRule, '.spec.egress'],
    ['a second list of rules', 'fight-specs', secondList, '.specs'],
  ])('over %s: it is named, the object goes, and nothing more is written', async (_, name, body, field) => {
    const before = await applied(name);
    await site.profileOpen();
    const from = await auditMark(controlPlaneOfWorker());
    const seen = await fight(name, before.metadata.name, body);
    expect(summary(seen)).toMatchObject({
      Applied: 'False/ContestedField',
      Degraded: 'True/ContestedField',
      Ready: 'False/ContestedField',
    });
    expect(conditionOf(seen, 'Ready')?.message).toContain(`fighter changed ${field} again and again`);
    expect(seen.status?.inForce).toBeUndefined();
    expect(isActive(seen as Observable)).toBe(false);
    // It cannot be vouched for: the floor alone is in force.
    await site.gone(before.metadata.name);
    const during = await writesSince(from);
    await provoke();
    const after = await writesSince(from);
    expect(after).toEqual(during);
    // All there is in five minutes: two rounds (an apply, for a second list a delete and a create as well, and a status), the removal, a status;
    // and the status of the profile, which a policy that is out of force closes.
    expect(total(after)).toBeLessThanOrEqual(11);
    expect(after['patch agentplane.dev/runtimeprofiles/status']).toBe(1);
    // Another spec is another matter.
    await applied(name, { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] });
  });

  it('over our label: the object enforces what was decided, and stays', async () => {
    const before = await applied('fight-label');
    const { name } = before.metadata;
    const seen = await fight('fight-label', name, { metadata: { labels: { 'agentplane.dev/policy': 'theirs' } } });
    expect(conditionOf(seen, 'Ready')?.message).toContain(
      'fighter changed .metadata.labels.agentplane.dev/policy again and again',
    );
    expect(seen.status?.inForce?.generation).toBe(1);
    expect((await site.cilium(name))?.spec).toEqual(before.spec);
  });

  it('twice is no fight', async () => {
    const before = await applied('twice');
    await change(before.metadata.name, worldRule, 'fighter');
    const once = await restored(before);
    await change(before.metadata.name, worldRule, 'fighter');
    await restored(once);
    await site.ready('twice');
  });
});

describe('what customers add to a generated object', () => {
  it('survives a thousand reconciles, and costs nothing', async () => {
    const { metadata } = await applied('customer');
    const theirs = {
      labels: { 'example.com/team': 'a' },
      annotations: { 'example.com/note': 'keep' },
      finalizers: ['example.com/archive'],
    };
    await change(metadata.name, { metadata: theirs }, 'customer');
    const from = await auditMark(controlPlaneOfWorker());
    const until = (await reconciled(site.operator.running)) + 1000;
    let round = 0;
    await waitUntil('a thousand reconciles', { timeoutMs: 60_000, intervalMs: 0 }, async () => {
      for (let i = 0; i < 25; i += 1) {
        round += 1;
        await change(metadata.name, { metadata: { annotations: { 'example.com/round': String(round) } } }, 'customer');
      }
      return (await reconciled(site.operator.running)) >= until;
    });
    expect(await writesSince(from)).toEqual({});
    const after = await site.cilium(metadata.name);
    expect(after?.metadata).toMatchObject({
      ...theirs,
      annotations: { ...theirs.annotations, 'example.com/round': String(round) },
    });
    // And a change of what we own, in the same object.
    await applied('customer', { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] });
    expect((await site.cilium(metadata.name))?.metadata).toMatchObject(theirs);
    await change(metadata.name, { metadata: { finalizers: null } }, 'customer');
  }, 90_000);
});
