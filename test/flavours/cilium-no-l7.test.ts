/**
 * The exercise, with packets: Cilium without its L7 proxy enforces addresses and cannot do anything with names. A policy that
 * asks for a name is refused, stays shut, and never becomes something weaker.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isActive, type Observable } from '../../src/api/active.ts';
import { everythingStored, generatedObjects } from '../cluster/support/objects.ts';
import { enforce, type PolicySpec, prove, removeAllPolicies, removePolicy } from '../cluster/support/policy-run.ts';
import { enableProbe, enforcement } from '../cluster/support/probing.ts';
import { agent, bystander, control, GOVERNED, openSite, type Site } from '../cluster/support/site.ts';
import { allDenied, expectTable, look, type Table, waitForTable } from '../cluster/support/table.ts';
import type { PolicyObject } from '../support/policies.ts';
import { conditionOf, policy, resolver, summary, waitForReason } from '../support/policies.ts';
import { policiesDuring } from '../support/watch-policies.ts';

let site: Site;

beforeAll(async () => {
  site = await openSite('cilium-no-l7');
});

afterEach(() => removeAllPolicies(site.kubectl));

afterAll(() => site?.close());

const NAME = 'api.example.test';
const ports = [{ port: 80 }];
const domainSpec = { dns: resolver, allow: [{ name: 'model-api', to: [{ domain: { name: NAME } }], ports }] };
/** The very address that the name has. */
const cidrSpec = () => ({
  allow: [{ name: 'model-api', to: [{ cidr: { block: `${site.targets.addresses.api}/32` } }], ports }],
});
const byName = `http://${NAME}/`;
const byAddress = () => `http://${site.targets.addresses.api}/`;
const open = (): Table => ({ [byName]: 'api', [byAddress()]: 'api' });

const refused = (name: string) => waitForReason(site.kubectl, { namespace: GOVERNED, name }, 'UnsupportedProvider');
const apply = (name: string, spec: PolicySpec) => site.kubectl.apply([policy(GOVERNED, name, spec)]);
const names = async () => (await generatedObjects(site.kubectl)).map(({ name }) => name);

describe('a domain policy', () => {
  it('is refused by rule and capability, changes nothing, and leaves name and address shut', async () => {
    expect(await look(site.kubectl, control, open())).toEqual(open());
    await apply('domains', domainSpec);
    const seen = await refused('domains');
    expect(summary(seen)).toMatchObject({
      Accepted: 'True/Accepted',
      Supported: 'False/UnsupportedProvider',
      Compiled: 'False/CompilationFailed',
      Applied: 'False/NotCompiled',
      Ready: 'False/UnsupportedProvider',
    });
    expect(conditionOf(seen, 'Supported')?.message).toContain(
      'rule model-api (item 0) needs domain.exact (L7ProxyDisabled)',
    );
    const generations = seen.status?.conditions?.map((condition) => condition.observedGeneration);
    expect(new Set([seen.status?.observedGeneration, ...(generations ?? [])])).toEqual(new Set([1]));
    expect(seen.status?.inForce).toBeUndefined();
    expect(await names()).toEqual(['agentplane-floor']);
    const stored = await everythingStored(site.kubectl);
    expect(stored).toContain(NAME);
    expect(stored).not.toContain(site.targets.addresses.api);
    for (const pod of [agent, bystander]) {
      expect(await look(site.kubectl, pod, open())).toEqual(allDenied(open()));
    }
    await removePolicy(site.kubectl, 'domains');
  });

  it('is no fault of the address: a CIDR policy for it answers', async () => {
    const opens = { [byAddress()]: 'api', [byName]: 'denied' };
    await prove(site.kubectl, { name: 'addresses', spec: cidrSpec(), opens });
  });
});

describe('an update from the address to the name', () => {
  const activeAt = (statuses: readonly PolicyObject[], generation: number) =>
    statuses.filter((seen) => seen.metadata.generation === generation && isActive(seen as Observable));

  /** Brings the CIDR policy in force, asks for the name instead, and returns all that the policy ever was meanwhile. */
  async function update(name: string, more: PolicySpec): Promise<readonly PolicyObject[]> {
    await enforce(site.kubectl, name, { ...cidrSpec(), ...more });
    await expectTable(site.kubectl, agent, { [byAddress()]: 'api' });
    const statuses = await policiesDuring(site.kubeconfigPath, GOVERNED, async () => {
      await apply(name, { ...domainSpec, ...more });
      await refused(name);
    });
    expect(statuses.filter((seen) => seen.status?.observedGeneration === 2).length).toBeGreaterThan(0);
    return statuses;
  }

  it('KeepPrevious: the old generation stays in force, with packets, and the new one is never Ready', async () => {
    const statuses = await update('kept', { onRefusal: 'KeepPrevious' });
    expect(activeAt(statuses, 2)).toEqual([]);
    const after = await refused('kept');
    expect(after.status?.inForce?.generation).toBe(1);
    expect(summary(after)).toMatchObject({ Degraded: 'True/KeepingPrevious', Ready: 'False/UnsupportedProvider' });
    const opens = { [byAddress()]: 'api', [byName]: 'denied' };
    expect(await look(site.kubectl, agent, opens)).toEqual(opens);
    await removePolicy(site.kubectl, 'kept');
    await waitForTable(site.kubectl, agent, allDenied(opens));
  });

  it('DenyAll: everything is shut, and the new generation is never Ready', async () => {
    const statuses = await update('shut', { onRefusal: 'DenyAll' });
    expect(activeAt(statuses, 2)).toEqual([]);
    const after = await refused('shut');
    expect(after.status?.inForce).toBeUndefined();
    expect(await names()).toEqual(['agentplane-floor']);
    await waitForTable(site.kubectl, agent, allDenied(open()));
    // Back to what the cluster can do, and it is open again: nothing else had shut it.
    await enforce(site.kubectl, 'shut', { ...cidrSpec(), onRefusal: 'DenyAll' });
    await expectTable(site.kubectl, agent, { [byAddress()]: 'api', [byName]: 'denied' });
    await removePolicy(site.kubectl, 'shut');
    await waitForTable(site.kubectl, agent, allDenied(open()));
  });
});

describe('the probe', () => {
  it('verifies addresses, and tries nothing in place of names', async () => {
    await enableProbe(site);
    expect(await enforcement(site)).toMatchObject({
      isolation: 'Verified/Proven',
      cidr: 'Verified/Proven',
      'cidr.except': 'Verified/Proven',
      workloads: 'Verified/Proven',
      'dns.clusterResolver': 'Verified/Proven',
      'domain.exact': 'Unsupported/L7ProxyDisabled',
      'domain.oneLabel': 'Unsupported/L7ProxyDisabled',
      'domain.anyDepth': 'Unsupported/L7ProxyDisabled',
      'dns.filter': 'Unsupported/L7ProxyDisabled',
    });
    const probed = { require: { verification: 'Probed' } };
    expect(summary(await enforce(site.kubectl, 'addresses', { ...cidrSpec(), ...probed }))).toMatchObject({
      Enforced: 'True/Probed',
      Ready: 'True/Ready',
    });
    await apply('domains', { ...domainSpec, ...probed });
    expect(summary(await refused('domains'))).toMatchObject({
      Enforced: 'Unknown/NotProbed',
      Supported: 'False/UnsupportedProvider',
    });
  });
});
