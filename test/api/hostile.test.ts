/** What somebody with rights in the namespace may try, and what must come of it. Each case was once a way through. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { CILIUM_NETWORK_POLICIES } from '../../src/controllers/resources.ts';
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
import { stageCilium } from '../support/staged-cilium.ts';
import { installCiliumCrd } from '../support/without-nodes.ts';
import { type Installation, install } from './support/installation.ts';

const namespace = 'hostile';
const wide = { name: 'wide', to: [{ cidr: { block: '10.0.0.0/8' } }], ports: [{ port: 1, endPort: 65535 }] };
/** Needs what no provider does: refused on any cluster. */
const refused = { dns: resolver, allow: [domainRule], require: { domainAssurance: 'TLSServerName' } };
let site: Installation;
let operator: Running;
let inventory: Running;

beforeAll(async () => {
  site = await install([namespace]);
  await installCiliumCrd(site);
  await stageCilium(site.kubectl);
  inventory = await site.startInventory();
  operator = await site.startOperator();
  await site.kubectl.apply([profile(namespace)]);
});

afterAll(async () => {
  expect(await operator.stop()).toBe(0);
  expect(await inventory.stop()).toBe(0);
});

const apply = (name: string, spec: Readonly<Record<string, unknown>>) =>
  site.kubectl.apply([policy(namespace, name, spec)]);
const outputs = async () => (await site.admin.list(CILIUM_NETWORK_POLICIES, { namespace })).items;
const outputNamed = (name: string) => site.kubectl.get<KubeObject>('ciliumnetworkpolicy', '-n', namespace, name);
const outputOf = async (name: string) =>
  (await waitForReady(site.kubectl, namespace, name)).status?.inForce?.outputs[0]?.name ?? '';
const gone = (name: string) =>
  waitUntil(
    `${name} to be gone`,
    { timeoutMs: 15_000, intervalMs: 50 },
    async () => (await outputNamed(name)) === undefined,
  );

/** Runs `during` while the operator's Role lacks a verb on a resource. */
async function without(verb: string, resource: string, during: () => Promise<void>): Promise<void> {
  const role = await site.kubectl.get<KubeObject & { rules: { resources: string[]; verbs: string[] }[] }>(
    'role',
    '-n',
    namespace,
    'agentplane-operator',
  );
  const rules = role?.rules.map((rule) =>
    rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((item) => item !== verb) } : rule,
  );
  const set = (value: unknown) =>
    site.kubectl.run(
      'patch',
      'role',
      '-n',
      namespace,
      'agentplane-operator',
      '--type=merge',
      '-p',
      JSON.stringify({ rules: value }),
    );
  await set(rules);
  try {
    await during();
  } finally {
    await set(role?.rules);
  }
}

describe('an output whose policy is deleted without it', () => {
  it('is removed: nothing stays open that no policy answers for', async () => {
    await apply('orphaning', { id: 'orphaning', allow: [wide] });
    const name = await outputOf('orphaning');
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'orphaning', '--cascade=orphan');
    await gone(name);
  });

  it('is removed as well when it happens while no operator runs', async () => {
    await apply('unwatched', { id: 'unwatched', allow: [wide] });
    const name = await outputOf('unwatched');
    expect(await operator.stop()).toBe(0);
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'unwatched', '--cascade=orphan');
    await waitUntil('the owner to be taken off', { timeoutMs: 15_000, intervalMs: 50 }, async () => {
      return (await outputNamed(name))?.metadata.ownerReferences === undefined;
    });
    operator = await site.startOperator();
    await gone(name);
  });

  it('is removed although a finalizer keeps the policy', async () => {
    await apply('held-policy', { allow: [wide] });
    const name = await outputOf('held-policy');
    const finalizers = (value: unknown) =>
      site.kubectl.run(
        'patch',
        'egresspolicy',
        '-n',
        namespace,
        'held-policy',
        '--type=merge',
        '-p',
        JSON.stringify({ metadata: { finalizers: value } }),
      );
    await finalizers(['example.com/wait']);
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'held-policy', '--wait=false');
    await gone(name);
    await finalizers(null);
  });

  it('a stranger without our marks is left alone', async () => {
    const stranger = {
      apiVersion: 'cilium.io/v2',
      kind: 'CiliumNetworkPolicy',
      metadata: { name: 'theirs', namespace },
      spec: { endpointSelector: {}, ingress: [{}] },
    };
    await site.kubectl.apply([stranger]);
    await apply('beside-stranger', { allow: [cidrRule] });
    await outputOf('beside-stranger');
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'beside-stranger', '--cascade=orphan');
    await waitFor('the orphan to be gone', { timeoutMs: 15_000, intervalMs: 50 }, async () => {
      const names = (await outputs()).map((item) => item.metadata.name);
      return names.some((name) => name.startsWith('ap-egress-'))
        ? { done: false, saw: names.join() }
        : { done: true, value: undefined };
    });
    expect(await outputNamed('theirs')).toBeDefined();
    await site.kubectl.run('delete', 'ciliumnetworkpolicy', '-n', namespace, 'theirs');
  });
});

describe('an output that must go', () => {
  it('and is held by a finalizer keeps the policy from being Ready, and is named', async () => {
    await apply('late-id', { allow: [wide] });
    const old = await outputOf('late-id');
    const finalizers = (value: unknown) =>
      site.kubectl.run(
        'patch',
        'ciliumnetworkpolicy',
        '-n',
        namespace,
        old,
        '--type=merge',
        '-p',
        JSON.stringify({ metadata: { finalizers: value } }),
      );
    await finalizers(['example.com/hold']);
    await apply('late-id', { id: 'late', allow: [cidrRule] });
    const seen = await waitForReason(site.kubectl, { namespace, name: 'late-id' }, 'ApplyPending');
    expect(conditionOf(seen, 'Applied')?.message).toMatch(
      new RegExp(`${old} must go, and is held by its finalizers \\(example.com/hold\\)`),
    );
    await finalizers(null);
    await waitForReady(site.kubectl, namespace, 'late-id');
    expect(await outputNamed(old)).toBeUndefined();
  });

  it('and may not be removed is told by verb, and stays said to be in force', async () => {
    await apply('undeletable', { allow: [wide], onRefusal: 'DenyAll' });
    const name = await outputOf('undeletable');
    await without('delete', 'ciliumnetworkpolicies', async () => {
      await apply('undeletable', { ...refused, onRefusal: 'DenyAll' });
      const seen = await waitForPolicy(
        site.kubectl,
        { namespace, name: 'undeletable' },
        (object) => conditionOf(object, 'Applied')?.reason === 'Forbidden',
      );
      expect(conditionOf(seen, 'Applied')?.message).toContain('delete ciliumnetworkpolicies');
      expect(seen.status?.inForce?.generation).toBe(1);
      expect(summary(seen)).toMatchObject({ Ready: 'False/UnsupportedProvider', Degraded: 'True/KeepingPrevious' });
    });
    await gone(name);
  });
});

describe('a status', () => {
  it('that somebody else wrote into is put right, also where we say nothing', async () => {
    await apply('spoofed', refused);
    await waitForReason(site.kubectl, { namespace, name: 'spoofed' }, 'UnsupportedProvider');
    const inForce = { generation: 1, specHash: 'sha256:forged', outputs: [] };
    const body = JSON.stringify({ status: { inForce } });
    await site.kubectl.run(
      'patch',
      'egresspolicy',
      '-n',
      namespace,
      'spoofed',
      '--subresource=status',
      '--type=merge',
      '-p',
      body,
    );
    await waitForPolicy(site.kubectl, { namespace, name: 'spoofed' }, (seen) => seen.status?.inForce === undefined);
  });
});

describe('an operator that may not see', () => {
  it('judges nothing True on what it remembers, writes nothing, and heals', async () => {
    await apply('blind', { allow: [cidrRule] });
    const name = await outputOf('blind');
    const before = (await outputNamed(name))?.metadata.resourceVersion;
    await without('watch', 'networkpolicies', async () => {
      // Ends the watch that was allowed when it was opened.
      await site.controlPlane.restartApiServer();
      const seen = await waitForPolicy(
        site.kubectl,
        { namespace, name: 'blind' },
        (object) => conditionOf(object, 'Ready')?.reason === 'DependencyNotReadable',
        60_000,
      );
      expect(conditionOf(seen, 'Ready')?.message).toContain('networkpolicies');
      await apply('blind', { allow: [wide] });
      const wider = await waitForReason(site.kubectl, { namespace, name: 'blind' }, 'DependencyNotReadable');
      expect(wider.status?.inForce?.generation).toBe(1);
      expect((await outputNamed(name))?.metadata.resourceVersion).toBe(before);
    });
    await waitForPolicy(
      site.kubectl,
      { namespace, name: 'blind' },
      (object) => conditionOf(object, 'Ready')?.status === 'True',
      60_000,
    );
  }, 150_000);
});
