/** The exercise: a policy asks for what the cluster cannot do. It is refused, told plainly, and never becomes something weaker. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../src/api/active.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { cidrRule, conditionOf, domainRule, resolver, summary, waitForPolicy } from '../support/policies.ts';
import { type CiliumStage, stageCilium, unstageCilium } from '../support/staged-cilium.ts';
import { policiesDuring } from '../support/watch-policies.ts';
import { type GovernedSite, startGovernedSite } from './support/governed-site.ts';
import { INSTALL_NAMESPACE } from './support/installation.ts';

const namespace = 'refusals';
const domainSpec = { dns: resolver, allow: [domainRule] };
const cidrSpec = { allow: [cidrRule] };
let site: GovernedSite;

beforeAll(async () => {
  site = await startGovernedSite(namespace, { cilium: false });
});

afterAll(async () => {
  await site.stop();
  await unstageCilium(site.kubectl);
});

afterEach(async () => {
  await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, '--all');
  // The garbage collector learns of a new API within half a minute.
  await waitFor('the outputs to be collected', { timeoutMs: 60_000, intervalMs: 100 }, async () => {
    const names = (await site.policyObjects()).map((object) => object.metadata.name);
    return names.length === 1 ? { done: true, value: undefined } : { done: false, saw: names.join(', ') };
  });
});

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
    await site.applyPolicy('domains', domainSpec);
    const seen = await site.reason('domains', 'UnsupportedProvider');
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
    const objects = await site.policyObjects();
    expect(objects.map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
    expect(JSON.stringify(objects.map((object) => object.spec))).not.toMatch(/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+/);
    expect(seen.status?.inForce).toBeUndefined();
  });
});

describe('a CIDR policy', () => {
  it('is not Ready where nothing enforces', async () => {
    await stage(undefined);
    await site.applyPolicy('addresses', cidrSpec);
    const seen = await site.reason('addresses', 'UnsupportedProvider');
    expect(seen.status?.unsupported).toContainEqual({ capability: 'isolation', reason: 'NoEnforcingProvider' });
    expect((await site.policyObjects()).map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
  });

  it('is Ready on Cilium without its L7 proxy', async () => {
    await stage(noL7);
    await site.applyPolicy('addresses', cidrSpec);
    await site.ready('addresses');
  });
});

describe('an update from what works to what cannot', () => {
  const everyStatus = (during: () => Promise<void>) =>
    policiesDuring(controlPlaneOfWorker().kubeconfigPath, namespace, during);

  beforeAll(() => stage(noL7));

  it('KeepPrevious keeps the old generation in force, says so, and is never Ready at the new one', async () => {
    await site.applyPolicy('kept', cidrSpec);
    const before = await site.ready('kept');
    const spec = JSON.stringify((await site.policyObjects()).map((object) => object.spec));
    const statuses = await everyStatus(async () => {
      await site.applyPolicy('kept', domainSpec);
      await site.reason('kept', 'UnsupportedProvider');
    });
    const after = await site.reason('kept', 'UnsupportedProvider');
    expect(after.status?.inForce).toEqual(before.status?.inForce);
    expect(after.status?.inForce?.generation).toBe(1);
    expect(summary(after)).toMatchObject({
      Degraded: 'True/KeepingPrevious',
      Ready: 'False/UnsupportedProvider',
      Applied: 'False/NotCompiled',
    });
    expect(JSON.stringify((await site.policyObjects()).map((object) => object.spec))).toBe(spec);
    expect(statuses.filter((seen) => seen.metadata.generation === 2).length).toBeGreaterThan(0);
    expect(statuses.filter((seen) => seen.metadata.generation === 2 && isActive(seen as Observable))).toEqual([]);
  });

  it('DenyAll leaves the floor alone, and is never Ready at the new generation', async () => {
    await site.applyPolicy('shut', { ...cidrSpec, onRefusal: 'DenyAll' });
    await site.ready('shut');
    const statuses = await everyStatus(async () => {
      await site.applyPolicy('shut', { ...domainSpec, onRefusal: 'DenyAll' });
      await site.reason('shut', 'UnsupportedProvider');
    });
    const after = await site.reason('shut', 'UnsupportedProvider');
    expect(after.status?.inForce).toBeUndefined();
    expect((await site.policyObjects()).map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
    expect(statuses.filter((seen) => seen.metadata.generation === 2 && isActive(seen as Observable))).toEqual([]);
  });

  it('what is kept is not trusted once somebody changed it: it goes, and the status says why', async () => {
    await site.applyPolicy('tampered', cidrSpec);
    const output = await site.outputOf('tampered');
    await site.applyPolicy('tampered', domainSpec);
    await site.reason('tampered', 'UnsupportedProvider');
    await site.patch({ kind: 'ciliumnetworkpolicy', name: output }, { spec: { egress: [{ toEntities: ['world'] }] } });
    const after = await waitForPolicy(site.kubectl, { namespace, name: 'tampered' }, (seen) => {
      return conditionOf(seen, 'Degraded')?.reason === 'DriftNotRestorable';
    });
    expect(after.status?.inForce).toBeUndefined();
    expect((await site.policyObjects()).map((object) => object.metadata.name)).toEqual(['agentplane-floor']);
  });

  it('is applied once the provider can, within seconds and without a restart', async () => {
    await site.applyPolicy('healed', domainSpec);
    await site.reason('healed', 'UnsupportedProvider');
    await stage({});
    await site.ready('healed');
    await stage(noL7);
    const after = await site.reason('healed', 'UnsupportedProvider');
    expect(summary(after)).toMatchObject({ Degraded: 'True/ProviderLost' });
    expect(after.status?.inForce?.generation).toBe(1);
  });
});

describe('without an inventory', () => {
  it('nothing is Supported, and what is in force stays', async () => {
    await stage({});
    await site.applyPolicy('orphan', cidrSpec);
    await site.ready('orphan');
    await site.inventory.stop();
    try {
      await site.kubectl.run('delete', 'capabilityreport', '-n', INSTALL_NAMESPACE, 'cluster');
      const after = await site.reason('orphan', 'InventoryMissing');
      expect(conditionOf(after, 'Ready')?.status).toBe('Unknown');
      expect(after.status?.inForce?.generation).toBe(1);
    } finally {
      await site.inventory.start();
    }
    await site.ready('orphan');
  });
});
