/** The life of a release while an agent works: with packets, at every moment of an upgrade, a rollback, an uninstall and a new install. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enforce } from '../cluster/support/policy-run.ts';
import { type Observation, probeDuring } from '../cluster/support/prober.ts';
import { agent, GOVERNED, INSTALL, openSite, type Site } from '../cluster/support/site.ts';
import { waitForTable } from '../cluster/support/table.ts';
import { type Helm, type HelmVersion, helmFor } from '../support/helm.ts';
import { installAgentPlane, removePlatform, rollbackAgentPlane, uninstallAgentPlane } from '../support/install.ts';
import { summary, waitForReady } from '../support/policies.ts';
import { PREVIOUS_VERSION } from '../support/releases.ts';

const POLICY = 'live';
/** Which Helm installs the version before, and which goes on from there. */
const HELMS = [
  { name: 'Helm 3, then Helm 4', first: 3, next: 4 },
  { name: 'Helm 3', first: 3, next: 3 },
  { name: 'Helm 4', first: 4, next: 4 },
] as const;
let site: Site;
let clients: Readonly<Record<HelmVersion, Helm>>;
/** The release of the version before that is there was made for this row, and nothing has been done to it. */
let madeFor: string | undefined;

beforeAll(async () => {
  site = await openSite('cilium-no-l7', {
    install: async (cluster, image) => {
      const [helm3, helm4] = await Promise.all([
        helmFor(3, cluster.kubeconfigPath),
        helmFor(4, cluster.kubeconfigPath),
      ]);
      clients = { 3: helm3, 4: helm4 };
      await removePlatform(helm4);
      await install(HELMS[0].first, { ...cluster, image }, { previous: true });
      madeFor = HELMS[0].name;
    },
  });
});

afterAll(() => site?.close());

function install(
  version: HelmVersion,
  { kubectl, image }: Pick<Site, 'kubectl' | 'image'>,
  options: { readonly previous?: boolean } = {},
): Promise<void> {
  const helm = clients[version];
  return installAgentPlane({ kubectl, helm, image, install: 'test', governedNamespaces: [GOVERNED], ...options });
}

/** The version before, as the Helm of the row installs it where nothing was. */
async function ensurePrevious({ name, first }: (typeof HELMS)[number]): Promise<void> {
  if (madeFor !== name) {
    await removePlatform(clients[4]);
    await uninstallAgentPlane(clients[4], 'test');
    await install(first, site, { previous: true });
  }
  madeFor = undefined;
  await open('api');
  expect(await chartInstalled()).toBe(`agentplane-${PREVIOUS_VERSION}`);
}

/** Opens one of the two targets, and waits until packets say so. */
async function open(target: 'api' | 'evil'): Promise<void> {
  const to = [{ cidr: { block: `${site.targets.addresses[target]}/32` } }];
  await enforce(site.kubectl, POLICY, { allow: [{ name: 'corp', to, ports: [{ port: 80 }] }] });
  const other = target === 'api' ? 'evil' : 'api';
  await waitForTable(site.kubectl, agent, { [at(target)]: target, [at(other)]: 'denied' });
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
  const probing = { pod: agent, urls: [at('api'), at('evil')], pauseSeconds: 0.1 };
  const [allowed, denied] = (await probeDuring(site.kubectl, probing, work)) as [Observation, Observation];
  console.log(`${what}: ${allowed.answered} allowed, ${denied.silent} denied, none otherwise`);
  expect(denied.answered, 'nothing may have got through').toBe(0);
  expect(denied.silent).toBeGreaterThan(0);
  expect(allowed.silent, 'what is allowed may not be cut').toBe(0);
  expect(allowed.answered).toBeGreaterThan(0);
}

/** The kinds that are served, and since when: one that was deleted and made again has another birth. */
async function crds(): Promise<readonly string[]> {
  const births = 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}';
  const lines = (await site.kubectl.run('get', 'crd', '-o', births)).split('\n');
  return lines.filter((line) => line.includes('.agentplane.dev '));
}

describe.each(HELMS)(`a release of ${PREVIOUS_VERSION} with a pod at work, by $name`, (row) => {
  const { name, next } = row;
  beforeAll(() => ensurePrevious(row));

  it('is upgraded: denied packets stay denied, and allowed ones answer', async () => {
    await during(`${name}: upgrade`, () => install(next, site));
    expect(await chartInstalled()).not.toBe(`agentplane-${PREVIOUS_VERSION}`);
    expect(summary(await waitForReady(site.kubectl, GOVERNED, POLICY)).Ready).toBe('True/Ready');
  });

  it('is rolled back with its CRDs, which are the same as before, and works', async () => {
    const before = await crds();
    expect(before.length).toBeGreaterThan(4);
    await during(`${name}: rollback`, () => rollbackAgentPlane(clients[next], 'test'));
    expect(await chartInstalled()).toBe(`agentplane-${PREVIOUS_VERSION}`);
    expect(await crds()).toEqual(before);
    await waitForReady(site.kubectl, GOVERNED, POLICY);
  });
});

/** What each Helm does to the objects meanwhile: test/api/chart-upgrade.test.ts. */
describe('a release', () => {
  it('is uninstalled while the policy lives, which stays in force, and installed again', async () => {
    await during('uninstall', () => uninstallAgentPlane(clients[4], 'test'));
    expect(await chartInstalled()).toBe('');
    await during('install', () => install(4, site));
    await waitForReady(site.kubectl, GOVERNED, POLICY);
    // It is judged, not only left: a change of it is put in force.
    await open('evil');
  });
});

describe('a governed namespace with a policy in force', () => {
  it('is deleted within a minute', async () => {
    await site.kubectl.run('delete', 'namespace', GOVERNED, '--wait=true', '--timeout=60s');
  });
});
