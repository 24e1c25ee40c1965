/** The life of a release while an agent works: with packets, at every moment of an upgrade, a rollback, an uninstall and a new install. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installAgentPlane, uninstallAgentPlane } from '../support/install.ts';
import { summary, waitForReady } from '../support/policies.ts';
import { PREVIOUS_VERSION } from '../support/releases.ts';
import { enforce, removeAllPolicies } from './support/policy-run.ts';
import { type Observation, probeDuring } from './support/prober.ts';
import { agent, GOVERNED, INSTALL, openSite, type Site } from './support/site.ts';
import { waitForTable } from './support/table.ts';

const POLICY = 'live';
let site: Site;

beforeAll(async () => {
  site = await openSite('cilium');
  await uninstallAgentPlane(site.helmClient, 'test');
  await install({ previous: true });
});

afterAll(async () => {
  await removeAllPolicies(site.kubectl);
  await site.close();
});

function install(options: { readonly previous?: boolean } = {}): Promise<void> {
  const { kubectl, helmClient: helm, image } = site;
  return installAgentPlane({ kubectl, helm, image, install: 'test', governedNamespaces: [GOVERNED], ...options });
}

const at = (target: 'api' | 'evil'): string => `http://${site.targets.addresses[target]}/`;

/** What of the release is there, as Helm tells it. */
async function chartInstalled(): Promise<string> {
  const list = JSON.parse(await site.helmClient.run('list', '--namespace', INSTALL, '-o', 'json')) as {
    chart: string;
  }[];
  return list.map(({ chart }) => chart).join();
}

/** Tries the allowed and the denied target all the while. */
async function during(what: string, work: () => Promise<void>): Promise<void> {
  const [allowed, denied] = (await probeDuring(site.kubectl, agent, [at('api'), at('evil')], work)) as [
    Observation,
    Observation,
  ];
  console.log(`${what}: ${allowed.answered} allowed, ${denied.silent} denied, none otherwise`);
  expect(denied.answered, 'nothing may have got through').toBe(0);
  expect(denied.silent).toBeGreaterThan(3);
  expect(allowed.silent, 'what is allowed may not be cut').toBe(0);
  expect(allowed.answered).toBeGreaterThan(3);
}

describe(`a release of ${PREVIOUS_VERSION}, with a policy in force and a pod at work`, () => {
  beforeAll(async () => {
    const to = [{ cidr: { block: `${site.targets.addresses.api}/32` } }];
    await enforce(site.kubectl, POLICY, { allow: [{ name: 'corp', to, ports: [{ port: 80 }] }] });
    await waitForTable(site.kubectl, agent, { [at('api')]: 'api', [at('evil')]: 'denied' });
    expect(await chartInstalled()).toBe(`agentplane-${PREVIOUS_VERSION}`);
  });

  it('is upgraded: denied packets stay denied, and allowed ones answer', async () => {
    await during('upgrade', () => install());
    expect(await chartInstalled()).not.toBe(`agentplane-${PREVIOUS_VERSION}`);
    expect(summary(await waitForReady(site.kubectl, GOVERNED, POLICY)).Ready).toBe('True/Ready');
  });

  it('is rolled back, and works', async () => {
    await during('rollback', async () => {
      await site.helmClient.run('rollback', 'agentplane', '--namespace', INSTALL, '--wait', '--timeout=120s');
    });
    expect(await chartInstalled()).toBe(`agentplane-${PREVIOUS_VERSION}`);
    await waitForReady(site.kubectl, GOVERNED, POLICY);
  });

  it('is uninstalled while the policy lives, which stays in force, and installed again', async () => {
    await during('uninstall', () => uninstallAgentPlane(site.helmClient, 'test'));
    expect(await chartInstalled()).toBe('');
    await during('reinstall', () => install());
    await waitForReady(site.kubectl, GOVERNED, POLICY);
    // It is judged, not only left: a change of it is put in force.
    const to = [{ cidr: { block: `${site.targets.addresses.evil}/32` } }];
    await enforce(site.kubectl, POLICY, { allow: [{ name: 'corp', to, ports: [{ port: 80 }] }] });
    await waitForTable(site.kubectl, agent, { [at('api')]: 'denied', [at('evil')]: 'evil' });
  });

  it('leaves a governed namespace that can be deleted within a minute', async () => {
    await site.kubectl.run('delete', 'namespace', GOVERNED, '--wait=true', '--timeout=60s');
  });
});
