/** Where nothing enforces a policy: AgentPlane says so. Nothing is claimed about packets, except that they are not stopped. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { capabilityReport, generatedObjects } from '../cluster/support/objects.ts';
import { removeAllPolicies } from '../cluster/support/policy-run.ts';
import { enableProbe, enforcement } from '../cluster/support/probing.ts';
import { agent, control, GOVERNED, openSite, type Site } from '../cluster/support/site.ts';
import { look } from '../cluster/support/table.ts';
import { conditionOf, domainRule, policy, resolver, summary, waitForReason } from '../support/policies.ts';

let site: Site;

beforeAll(async () => {
  site = await openSite('plain');
});

afterEach(() => removeAllPolicies(site.kubectl));

afterAll(() => site?.close());

const refused = (name: string) => waitForReason(site.kubectl, { namespace: GOVERNED, name }, 'UnsupportedProvider');

describe('a cluster whose network enforces nothing', () => {
  it('is recognised as having no provider', async () => {
    const report = await capabilityReport(site.kubectl);
    expect(report.provider).toMatchObject({ name: 'none' });
    expect(new Set(report.capabilities.map(({ state }) => state))).toEqual(new Set(['Unsupported']));
  });

  it('no packet is claimed to be denied: the floor is stored, and the pod reaches everything', async () => {
    const url = `http://${site.targets.addresses.api}/`;
    expect((await generatedObjects(site.kubectl)).map(({ name }) => name)).toEqual(['agentplane-floor']);
    expect(await look(site.kubectl, agent, { [url]: '' })).toEqual({ [url]: 'api' });
    expect(await look(site.kubectl, control, { [url]: '' })).toEqual({ [url]: 'api' });
  });

  it('a CIDR policy is not Ready (status only, packets are not claimed)', async () => {
    const block = `${site.targets.addresses.api}/32`;
    await site.kubectl.apply([
      policy(GOVERNED, 'addresses', { allow: [{ name: 'corp', to: [{ cidr: { block } }], ports: [{ port: 80 }] }] }),
    ]);
    const seen = await refused('addresses');
    expect(summary(seen)).toMatchObject({
      Accepted: 'True/Accepted',
      Supported: 'False/UnsupportedProvider',
      Applied: 'False/NotCompiled',
      Ready: 'False/UnsupportedProvider',
    });
    expect(seen.status?.unsupported).toContainEqual({ capability: 'isolation', reason: 'NoEnforcingProvider' });
    expect(seen.status?.inForce).toBeUndefined();
    expect((await generatedObjects(site.kubectl)).map(({ name }) => name)).toEqual(['agentplane-floor']);
  });

  it('a domain policy is refused by rule and capability (status only, packets are not claimed)', async () => {
    await site.kubectl.apply([policy(GOVERNED, 'domains', { dns: resolver, allow: [domainRule] })]);
    const seen = await refused('domains');
    expect(conditionOf(seen, 'Supported')?.message).toContain(
      'rule model-api (item 0) needs domain.exact (NoEnforcingProvider)',
    );
    const generations = seen.status?.conditions?.map((condition) => condition.observedGeneration);
    expect(new Set(generations)).toEqual(new Set([seen.metadata.generation]));
    expect((await generatedObjects(site.kubectl)).map(({ name }) => name)).toEqual(['agentplane-floor']);
  });
});

describe('the probe', () => {
  it('shows that nothing is denied, and every policy says so', async () => {
    await enableProbe(site);
    const results = await enforcement(site);
    expect(results).toMatchObject({ isolation: 'Failed/DenyLeaked', cidr: 'Unsupported/NoEnforcingProvider' });
    expect(Object.values(results).filter((result) => result.startsWith('Verified'))).toEqual([]);
    const allow = [{ name: 'corp', to: [{ cidr: { block: '203.0.113.0/24' } }], ports: [{ port: 80 }] }];
    await site.kubectl.apply([policy(GOVERNED, 'probed', { require: { verification: 'Probed' }, allow })]);
    const seen = await refused('probed');
    expect(summary(seen)).toMatchObject({ Enforced: 'False/ProbeFailed', Ready: 'False/UnsupportedProvider' });
    expect(conditionOf(seen, 'Enforced')?.message).toContain('isolation (DenyLeaked: pod target at port 8080');
  });
});
