/** The exercise: a policy asks for what the cluster cannot do. It is refused, told plainly, and never becomes something weaker. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import { CILIUM_NETWORK_POLICIES, NETWORK_POLICIES } from '../../src/controllers/resources.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import {
  cidrRule,
  conditionOf,
  domainRule,
  policy,
  profile,
  resolver,
  summary,
  waitForPolicy,
  waitForReady,
  waitForReason,
} from '../support/policies.ts';
import type { Running } from '../support/process.ts';
import { type CiliumStage, stageCilium, unstageCilium } from '../support/staged-cilium.ts';
import { policiesDuring } from '../support/watch-policies.ts';
import { installCiliumCrd } from '../support/without-nodes.ts';
import { INSTALL_NAMESPACE, type Installation, install } from './support/installation.ts';

const namespace = 'refusals';
const domainSpec = { dns: resolver, allow: [domainRule] };
const cidrSpec = { allow: [cidrRule] };
let site: Installation;
let operator: Running;
let inventory: Running;

beforeAll(async () => {
  site = await install([namespace]);
  await installCiliumCrd(site);
  await unstageCilium(site.kubectl);
  inventory = await site.startInventory();
  operator = await site.startOperator();
  await site.kubectl.apply([profile(namespace)]);
});

afterAll(async () => {
  expect(await operator.stop()).toBe(0);
  expect(await inventory.stop()).toBe(0);
  await unstageCilium(site.kubectl);
});

afterEach(async () => {
  await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, '--all');
  // The garbage collector learns of a new API within half a minute.
  await waitFor('the outputs to be collected', { timeoutMs: 60_000, intervalMs: 100 }, async () => {
    const names = (await policyObjects()).map((object) => object.metadata.name);
    return names.length === 1 ? { done: true, value: undefined } : { done: false, saw: names.join(', ') };
  });
});

const apply = (name: string, spec: Readonly<Record<string, unknown>>) =>
  site.kubectl.apply([policy(namespace, name, spec)]);

/** Every object of the namespace that an address could hide in. */
async function policyObjects(): Promise<readonly KubeObject[]> {
  const lists = await Promise.all(
    [NETWORK_POLICIES, CILIUM_NETWORK_POLICIES].map((resource) => site.admin.list(resource, { namespace })),
  );
  return lists.flatMap(({ items }) => items);
}

async function stage(cilium: CiliumStage | undefined): Promise<void> {
  await (cilium === undefined ? unstageCilium(site.kubectl) : stageCilium(site.kubectl, cilium));
  const wanted = cilium === undefined ? 'none' : (cilium.config?.['enable-l7-proxy'] ?? 'cilium');
  await waitFor(`the report to say ${wanted}`, { timeoutMs: 15_000, intervalMs: 100 }, async () => {
    const report = await site.kubectl.get<ReportObject>('capabilityreport', '-n', INSTALL_NAMESPACE, 'cluster');
    const domain = report?.status?.capabilities.find(({ name }) => name === 'domain.exact');
    const found = `${report?.status?.provider.name} ${domain?.state}`;
    const expected =
      cilium === undefined ? 'none Unsupported' : `cilium ${cilium.config === undefined ? 'Supported' : 'Unsupported'}`;
    return found === expected ? { done: true, value: undefined } : { done: false, saw: found };
  });
}

interface ReportObject {
  readonly status?: {
    readonly provider: { readonly name: string };
    readonly capabilities: readonly { readonly name: string; readonly state: string }[];
  };
}

const noL7: CiliumStage = { config: { 'enable-l7-proxy': 'false' } };

describe.each([
  ['Cilium without its L7 proxy', noL7, 'L7ProxyDisabled'],
  ['a cluster where nothing enforces', undefined, 'NoEnforcingProvider'],
] as const)('a domain policy on %s', (_, cilium, reason) => {
  beforeAll(() => stage(cilium));

  it('is accepted, unsupported by name, not applied, and leaves the floor alone', async () => {
    await apply('domains', domainSpec);
    const seen = await waitForReason(site.kubectl, { namespace, name: 'domains' }, 'UnsupportedProvider');
    expect(summary(seen)).toMatchObject({
      Accepted: 'True/Accepted',
      Supported: 'False/UnsupportedProvider',
      DependenciesResolved: 'True/Resolved',
      Compiled: 'False/CompilationFailed',
      Applied: 'False/NotCompiled',
      Ready: 'False/UnsupportedProvider',
    });
    expect(conditionOf(seen, 'Supported')?.message).toContain(`rule model-api (item 0) needs domain.exact (${reason})`);
    expect(seen.status?.unsupported).toContainEqual({
      rule: 'model-api',
      index: 0,
      capability: 'domain.exact',
      reason,
    });
    const generations = seen.status?.conditions?.map((condition) => condition.observedGeneration);
    expect(new Set(generations)).toEqual(new Set([seen.metadata.generation]));
    const objects = await policyObjects();
    expect(objects.map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
    expect(JSON.stringify(objects.map((object) => object.spec))).not.toMatch(/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/);
    expect(seen.status?.inForce).toBeUndefined();
  });
});

describe('a CIDR policy', () => {
  it('is not Ready where nothing enforces', async () => {
    await stage(undefined);
    await apply('addresses', cidrSpec);
    const seen = await waitForReason(site.kubectl, { namespace, name: 'addresses' }, 'UnsupportedProvider');
    expect(seen.status?.unsupported).toContainEqual({ capability: 'isolation', reason: 'NoEnforcingProvider' });
    expect((await policyObjects()).map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
  });

  it('is Ready on Cilium without its L7 proxy', async () => {
    await stage(noL7);
    await apply('addresses', cidrSpec);
    await waitForReady(site.kubectl, namespace, 'addresses');
  });
});

describe('an update from what works to what cannot', () => {
  const everyStatus = (during: () => Promise<void>) =>
    policiesDuring(inject('embedded').kubeconfigPath, namespace, during);

  beforeAll(() => stage(noL7));

  it('KeepPrevious keeps the old generation in force, says so, and is never Ready at the new one', async () => {
    await apply('kept', cidrSpec);
    const before = await waitForReady(site.kubectl, namespace, 'kept');
    const spec = JSON.stringify((await policyObjects()).map((object) => object.spec));
    const statuses = await everyStatus(async () => {
      await apply('kept', domainSpec);
      await waitForReason(site.kubectl, { namespace, name: 'kept' }, 'UnsupportedProvider');
    });
    const after = await waitForReason(site.kubectl, { namespace, name: 'kept' }, 'UnsupportedProvider');
    expect(after.status?.inForce).toEqual(before.status?.inForce);
    expect(after.status?.inForce?.generation).toBe(1);
    expect(summary(after)).toMatchObject({
      Degraded: 'True/KeepingPrevious',
      Ready: 'False/UnsupportedProvider',
      Applied: 'False/NotCompiled',
    });
    expect(JSON.stringify((await policyObjects()).map((object) => object.spec))).toBe(spec);
    expect(statuses.filter((seen) => seen.metadata.generation === 2).length).toBeGreaterThan(0);
    expect(statuses.filter((seen) => seen.metadata.generation === 2 && isActive(seen as Observable))).toEqual([]);
  });

  it('DenyAll leaves the floor alone, and is never Ready at the new generation', async () => {
    await apply('shut', { ...cidrSpec, onRefusal: 'DenyAll' });
    await waitForReady(site.kubectl, namespace, 'shut');
    const statuses = await everyStatus(async () => {
      await apply('shut', { ...domainSpec, onRefusal: 'DenyAll' });
      await waitForReason(site.kubectl, { namespace, name: 'shut' }, 'UnsupportedProvider');
    });
    const after = await waitForReason(site.kubectl, { namespace, name: 'shut' }, 'UnsupportedProvider');
    expect(after.status?.inForce).toBeUndefined();
    expect((await policyObjects()).map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
    expect(statuses.filter((seen) => seen.metadata.generation === 2 && isActive(seen as Observable))).toEqual([]);
  });

  it('what is kept is not trusted once somebody changed it: it goes, and the status says why', async () => {
    await apply('tampered', cidrSpec);
    const output = (await waitForReady(site.kubectl, namespace, 'tampered')).status?.inForce?.outputs[0]?.name ?? '';
    await apply('tampered', domainSpec);
    await waitForReason(site.kubectl, { namespace, name: 'tampered' }, 'UnsupportedProvider');
    const body = JSON.stringify({ spec: { egress: [{ toEntities: ['world'] }] } });
    await site.kubectl.run('patch', 'ciliumnetworkpolicy', '-n', namespace, output, '--type=merge', '-p', body);
    const after = await waitForPolicy(site.kubectl, { namespace, name: 'tampered' }, (seen) => {
      return conditionOf(seen, 'Degraded')?.reason === 'DriftNotRestorable';
    });
    expect(after.status?.inForce).toBeUndefined();
    expect((await policyObjects()).map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
  });

  it('is applied once the provider can, within seconds and without a restart', async () => {
    await apply('healed', domainSpec);
    await waitForReason(site.kubectl, { namespace, name: 'healed' }, 'UnsupportedProvider');
    await stage({});
    await waitForReady(site.kubectl, namespace, 'healed');
    await stage(noL7);
    const after = await waitForReason(site.kubectl, { namespace, name: 'healed' }, 'UnsupportedProvider');
    expect(summary(after)).toMatchObject({ Degraded: 'True/ProviderLost' });
    expect(after.status?.inForce?.generation).toBe(1);
  });
});

describe('without an inventory', () => {
  it('nothing is Supported, and what is in force stays', async () => {
    await stage({});
    await apply('orphan', cidrSpec);
    await waitForReady(site.kubectl, namespace, 'orphan');
    expect(await inventory.stop()).toBe(0);
    try {
      await site.kubectl.run('delete', 'capabilityreport', '-n', INSTALL_NAMESPACE, 'cluster');
      const after = await waitForReason(site.kubectl, { namespace, name: 'orphan' }, 'InventoryMissing');
      expect(conditionOf(after, 'Ready')?.status).toBe('Unknown');
      expect(after.status?.inForce?.generation).toBe(1);
    } finally {
      inventory = await site.startInventory();
    }
    await waitForReady(site.kubectl, namespace, 'orphan');
  });
});
