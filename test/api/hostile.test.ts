/** What somebody with rights in the namespace may try, and what must come of it. Each case was once a way through. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { cidrRule, conditionOf, domainRule, resolver, summary, waitForPolicy } from '../support/policies.ts';
import { type GovernedSite, startGovernedSite } from './support/governed-site.ts';

const namespace = 'hostile';
const wide = { name: 'wide', to: [{ cidr: { block: '10.0.0.0/8' } }], ports: [{ port: 1, endPort: 65535 }] };
/** Needs what no provider does: refused on any cluster. */
const refused = { dns: resolver, allow: [domainRule], require: { domainAssurance: 'TLSServerName' } };
let site: GovernedSite;

beforeAll(async () => {
  site = await startGovernedSite(namespace);
});

afterAll(() => site.stop());

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
  const set = (value: unknown) => site.patch({ kind: 'role', name: 'agentplane-operator' }, { rules: value });
  await set(rules);
  try {
    await during();
  } finally {
    await set(role?.rules);
  }
}

describe('an output whose policy is deleted without it', () => {
  it('is removed: nothing stays open that no policy answers for', async () => {
    await site.applyPolicy('orphaning', { id: 'orphaning', allow: [wide] });
    const name = await site.outputOf('orphaning');
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'orphaning', '--cascade=orphan');
    await site.gone(name);
  });

  it('is removed as well when it happens while no operator runs', async () => {
    await site.applyPolicy('unwatched', { id: 'unwatched', allow: [wide] });
    const name = await site.outputOf('unwatched');
    await site.operator.stop();
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'unwatched', '--cascade=orphan');
    await waitUntil('the owner to be taken off', { timeoutMs: 15_000, intervalMs: 50 }, async () => {
      return (await site.cilium(name))?.metadata.ownerReferences === undefined;
    });
    await site.operator.start();
    await site.gone(name);
  });

  it('is removed although a finalizer keeps the policy', async () => {
    await site.applyPolicy('held-policy', { allow: [wide] });
    const name = await site.outputOf('held-policy');
    const finalizers = (value: unknown) =>
      site.patch({ kind: 'egresspolicy', name: 'held-policy' }, { metadata: { finalizers: value } });
    await finalizers(['example.com/wait']);
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'held-policy', '--wait=false');
    await site.gone(name);
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
    await site.applyPolicy('beside-stranger', { allow: [cidrRule] });
    await site.outputOf('beside-stranger');
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'beside-stranger', '--cascade=orphan');
    await waitFor('the orphan to be gone', { timeoutMs: 15_000, intervalMs: 50 }, async () => {
      const names = (await site.policyObjects()).map((item) => item.metadata.name);
      return names.some((name) => name.startsWith('ap-egress-'))
        ? { done: false, saw: names.join() }
        : { done: true, value: undefined };
    });
    expect(await site.cilium('theirs')).toBeDefined();
    await site.kubectl.run('delete', 'ciliumnetworkpolicy', '-n', namespace, 'theirs');
  });
});

describe('an output that must go', () => {
  it('and is held by a finalizer keeps the policy from being Ready, and is named', async () => {
    await site.applyPolicy('late-id', { allow: [wide] });
    const old = await site.outputOf('late-id');
    const finalizers = (value: unknown) =>
      site.patch({ kind: 'ciliumnetworkpolicy', name: old }, { metadata: { finalizers: value } });
    await finalizers(['example.com/hold']);
    await site.applyPolicy('late-id', { id: 'late', allow: [cidrRule] });
    const seen = await site.reason('late-id', 'ApplyPending');
    expect(conditionOf(seen, 'Applied')?.message).toMatch(
      new RegExp(`${old} must go, and is held by its finalizers \\(example.com/hold\\)`),
    );
    await finalizers(null);
    await site.ready('late-id');
    expect(await site.cilium(old)).toBeUndefined();
  });

  it('and may not be removed is told by verb, and stays said to be in force', async () => {
    await site.applyPolicy('undeletable', { allow: [wide], onRefusal: 'DenyAll' });
    const name = await site.outputOf('undeletable');
    await without('delete', 'ciliumnetworkpolicies', async () => {
      await site.applyPolicy('undeletable', { ...refused, onRefusal: 'DenyAll' });
      const seen = await waitForPolicy(
        site.kubectl,
        { namespace, name: 'undeletable' },
        (object) => conditionOf(object, 'Applied')?.reason === 'Forbidden',
      );
      expect(conditionOf(seen, 'Applied')?.message).toContain('delete ciliumnetworkpolicies');
      expect(seen.status?.inForce?.generation).toBe(1);
      expect(summary(seen)).toMatchObject({ Ready: 'False/UnsupportedProvider', Degraded: 'True/KeepingPrevious' });
    });
    await site.gone(name);
  });
});

describe('a status', () => {
  it('that somebody else wrote into is put right, also where we say nothing', async () => {
    await site.applyPolicy('spoofed', refused);
    await site.reason('spoofed', 'UnsupportedProvider');
    const inForce = { generation: 1, specHash: 'sha256:forged', outputs: [] };
    await site.patch({ kind: 'egresspolicy', name: 'spoofed' }, { status: { inForce } }, '--subresource=status');
    await waitForPolicy(site.kubectl, { namespace, name: 'spoofed' }, (seen) => seen.status?.inForce === undefined);
  });
});

describe('an operator that may not see', () => {
  it('judges nothing True on what it remembers, writes nothing, and heals', async () => {
    await site.applyPolicy('blind', { allow: [cidrRule] });
    const name = await site.outputOf('blind');
    const before = (await site.cilium(name))?.metadata.resourceVersion;
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
      await site.applyPolicy('blind', { allow: [wide] });
      const wider = await site.reason('blind', 'DependencyNotReadable');
      expect(wider.status?.inForce?.generation).toBe(1);
      expect((await site.cilium(name))?.metadata.resourceVersion).toBe(before);
    });
    await waitForPolicy(
      site.kubectl,
      { namespace, name: 'blind' },
      (object) => conditionOf(object, 'Ready')?.status === 'True',
      60_000,
    );
  }, 150_000);
});
