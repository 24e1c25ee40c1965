/** The probe where everything is enforced: what it shows with packets, and what becomes of it when its targets go silent, and when time passes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { conditionOf, type PolicyObject, policy, resolver, summary, waitForPolicy } from '../support/policies.ts';
import { withoutTargets } from './support/cut-off.ts';
import { removeAllPolicies } from './support/policy-run.ts';
import { enableProbe, enforcement, probeOnce } from './support/probing.ts';
import { agent, CANARIES, control, GOVERNED, INSTALL, openSite, type Site } from './support/site.ts';
import { allDenied, expectTable, type Table, waitForAnswers, waitForTable } from './support/table.ts';

let site: Site;

beforeAll(async () => {
  site = await openSite('cilium');
  await enableProbe(site);
});

afterEach(() => removeAllPolicies(site.kubectl));

afterAll(() => site?.close());

const probed = { require: { verification: 'Probed' } };
const byAddress = () => ({
  ...probed,
  allow: [{ name: 'corp', to: [{ cidr: { block: `${site.targets.addresses.api}/32` } }], ports: [{ port: 80 }] }],
});
const byName = {
  ...probed,
  dns: resolver,
  allow: [{ name: 'model-api', to: [{ domain: { name: 'api.example.test' } }], ports: [{ port: 80 }] }],
};
const inside = {
  ...probed,
  allow: [{ name: 'tools', to: [{ workloads: { namespace: 'any', podLabels: { a: 'b' } } }], ports: [{ port: 80 }] }],
};

async function apply(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  await site.kubectl.apply([policy(GOVERNED, name, spec)]);
}

function enforced(name: string, reason: string): Promise<PolicyObject> {
  const holds = (seen: PolicyObject) => conditionOf(seen, 'Enforced')?.reason === reason;
  return waitForPolicy(site.kubectl, { namespace: GOVERNED, name }, holds, 45_000);
}

/** What the probe tries outside of the cluster. */
function everyTarget(): Table {
  const { api, evil } = site.targets.addresses;
  const names = ['a.cdn', 'a.b.cdn'].map((name) => [`http://${name}.example.test:80/`, name]);
  return { [`http://${api}:80/`]: 'api', [`http://${evil}:80/`]: 'evil', ...Object.fromEntries(names) };
}

/** Everything that this cluster can do. */
const VERIFIED = {
  isolation: 'Verified/Proven',
  cidr: 'Verified/Proven',
  'cidr.except': 'Verified/Proven',
  'ports.range': 'Verified/Proven',
  'domain.exact': 'Verified/Proven',
  'domain.oneLabel': 'Verified/Proven',
  'domain.anyDepth': 'Verified/Proven',
  'domain.tlsServerName': 'Unsupported/NotImplemented',
  'dns.clusterResolver': 'Verified/Proven',
  'dns.filter': 'Verified/Proven',
  workloads: 'Verified/Proven',
  kubeAPIServer: 'Verified/Proven',
  'family.ipv4Only': 'Verified/Proven',
  'family.ipv6Only': 'Unsupported/IPv4Enabled',
};

describe('a cluster that enforces', () => {
  it('is verified by the first run of the Deployment', async () => {
    expect(await enforcement(site)).toEqual(VERIFIED);
  });

  it('makes policies Ready that ask for proof, and what they open answers', async () => {
    await apply('addresses', byAddress());
    await apply('names', byName);
    expect(summary(await enforced('addresses', 'Probed'))).toMatchObject({
      Enforced: 'True/Probed',
      Ready: 'True/Ready',
    });
    expect(summary(await enforced('names', 'Probed'))).toMatchObject({ Ready: 'True/Ready' });
    await expectTable(site.kubectl, agent, { 'http://api.example.test:80/': 'api' });
  });

  it('is what `helm test` shows: one run, and its table', async () => {
    const output = await site.helmClient.run(
      'test',
      'agentplane',
      '--namespace',
      INSTALL,
      '--logs',
      '--timeout',
      '170s',
    );
    expect(output).toMatch(/^isolation +pod target at port 8080 \(.*\) +none +no answer, from [0-9]+ ms on +Pass$/m);
    expect(output).toMatch(/^domain\.exact +evil\.example\.test:80 +none +no answer +Pass$/m);
    expect(output).toMatch(/^isolation +the metadata address +none +no answer +Pass$/m);
    expect(output).toMatch(/^cidr +Verified +Proven +1 /m);
  });

  it('leaves nothing behind', async () => {
    await waitFor('the canaries to be gone', { timeoutMs: 30_000 }, async () => {
      const kinds = 'pod,networkpolicy,ciliumnetworkpolicy';
      const left = await site.kubectl.run('get', kinds, '-n', CANARIES, '-o', 'name');
      return left.trim() === '' ? { done: true, value: undefined } : { done: false, saw: left };
    });
  });
});

describe('targets that nothing reaches', () => {
  it('leave open what rests on them, and Ready with it; the rest stays proven', async () => {
    await apply('addresses', byAddress());
    await apply('inside', inside);
    await enforced('addresses', 'Probed');
    await withoutTargets(site, async () => {
      await waitForTable(site.kubectl, control, allDenied(everyTarget()));
      expect((await probeOnce(site, '--publish')).exitCode).toBe(3);
    });
    await waitForAnswers(site.kubectl, control, everyTarget());
    expect(await enforcement(site)).toMatchObject({
      isolation: 'Verified/Proven',
      workloads: 'Verified/Proven',
      cidr: 'Inconclusive/ControlBlocked',
      'domain.exact': 'Inconclusive/ControlBlocked',
    });
    const seen = await enforced('addresses', 'ProbeInconclusive');
    expect(summary(seen)).toMatchObject({ Applied: 'True/Applied', Ready: 'Unknown/ProbeInconclusive' });
    expect(summary(await enforced('inside', 'Probed'))).toMatchObject({ Ready: 'True/Ready' });
  }, 600_000);
});

describe('time that passes', () => {
  it('ends what a result says, without a word from anybody', async () => {
    await apply('addresses', byAddress());
    expect((await probeOnce(site, '--publish', '--expiry-seconds', '15')).exitCode).toBe(0);
    await enforced('addresses', 'Probed');
    expect(summary(await enforced('addresses', 'ProbeExpired'))).toMatchObject({
      Enforced: 'Unknown/ProbeExpired',
      Ready: 'Unknown/ProbeExpired',
    });
  });
});
