import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { auditBetween, auditCounts, auditMark, auditMatching, READS, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import {
  ACCOUNT,
  cidrRule,
  conditionOf,
  domainRule,
  getPolicy,
  type PolicyObject,
  policy,
  profile,
  resolver,
  summary,
  waitForPolicy,
} from '../support/policies.ts';
import { type GovernedSite, OPERATOR_USER, startGovernedSite } from './support/governed-site.ts';

const namespace = 'policies';
let site: GovernedSite;

beforeAll(async () => {
  site = await startGovernedSite(namespace);
});

afterAll(() => site.stop());

async function outputsOf(name: string): Promise<readonly KubeObject[]> {
  const uid = (await getPolicy(site.kubectl, namespace, name))?.metadata.uid;
  return (await site.policyObjects()).filter((item) =>
    item.metadata.ownerReferences?.some((owner) => owner.uid === uid),
  );
}

describe('a policy that the cluster can enforce', () => {
  it('becomes one owned CiliumNetworkPolicy, and a status that says so for this generation', async () => {
    await site.applyPolicy('works', { dns: resolver, allow: [domainRule, cidrRule] });
    const seen = await site.ready('works');
    expect(summary(seen)).toEqual({
      Accepted: 'True/Accepted',
      Supported: 'True/Supported',
      DependenciesResolved: 'True/Resolved',
      Compiled: 'True/Compiled',
      Applied: 'True/Applied',
      Enforced: 'Unknown/NotProbed',
      Exclusive: 'True/NoOtherPolicy',
      Ready: 'True/Ready',
    });
    const [output, ...others] = await outputsOf('works');
    expect(others).toEqual([]);
    expect(output?.metadata.name).toMatch(/^ap-egress-[0-9a-f]{16}$/);
    expect(seen.status?.inForce).toEqual({
      generation: 1,
      specHash: expect.stringMatching(/^sha256:/),
      outputs: [
        {
          apiVersion: 'cilium.io/v2',
          kind: 'CiliumNetworkPolicy',
          name: output?.metadata.name,
          uid: output?.metadata.uid,
        },
      ],
    });
  });

  it('costs two writes and no read', async () => {
    await site.profileOpen();
    const from = await auditMark(controlPlaneOfWorker());
    await site.applyPolicy('budget', { allow: [cidrRule] });
    await site.ready('budget');
    const entries = auditMatching(
      await auditBetween(controlPlaneOfWorker(), from, await auditMark(controlPlaneOfWorker())),
      {
        user: OPERATOR_USER,
        namespace,
      },
    );
    const withoutEvents = entries.filter((entry) => entry.objectRef?.resource !== 'events');
    expect(auditCounts(auditMatching(withoutEvents, { verb: WRITES }))).toEqual({
      'create cilium.io/ciliumnetworkpolicies': 1,
      'patch agentplane.dev/egresspolicies/status': 1,
    });
    expect(auditCounts(auditMatching(withoutEvents, { verb: ['get', 'list'] }))).toEqual({});
  });

  it('a change of labels costs nothing', async () => {
    await site.ready('budget');
    const from = await auditMark(controlPlaneOfWorker());
    await site.kubectl.run('label', 'egresspolicy', '-n', namespace, 'budget', 'team=a');
    // Proof that the change was seen: a later change of another object has been answered.
    await site.applyPolicy('after-label', { allow: [cidrRule] });
    await site.ready('after-label');
    const entries = auditMatching(await auditBetween(controlPlaneOfWorker(), from), {
      user: OPERATOR_USER,
      verb: [...WRITES, ...READS],
      name: 'budget',
    });
    expect(auditCounts(entries)).toEqual({});
  });

  it('an update is one write to the same object, and one status', async () => {
    await site.applyPolicy('updated', { allow: [cidrRule] });
    const before = await site.ready('updated');
    const from = await auditMark(controlPlaneOfWorker());
    await site.applyPolicy('updated', { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] });
    const after = await site.ready('updated');
    expect(after.status?.inForce?.outputs).toEqual(before.status?.inForce?.outputs);
    expect(after.status?.inForce?.generation).toBe(2);
    const entries = await auditBetween(controlPlaneOfWorker(), from, await auditMark(controlPlaneOfWorker()));
    const own = auditMatching(entries, { user: OPERATOR_USER, namespace, verb: WRITES });
    expect(auditCounts(own.filter((entry) => entry.objectRef?.resource !== 'events'))).toEqual({
      'patch cilium.io/ciliumnetworkpolicies': 1,
      'patch agentplane.dev/egresspolicies/status': 1,
    });
  });

  it('changes in place whatever it comes to consist of: names, addresses, nothing', async () => {
    const shapes = [
      { dns: resolver, allow: [domainRule] },
      { allow: [cidrRule] },
      {},
      { dns: resolver, allow: [domainRule] },
      {},
    ];
    const outputs = new Set<string>();
    for (const shape of shapes) {
      await site.applyPolicy('shapes', shape);
      outputs.add(
        JSON.stringify((await site.ready('shapes')).status?.inForce?.outputs.map(({ name, uid }) => [name, uid])),
      );
    }
    expect(outputs.size).toBe(1);
  });

  it('is deleted with its policy, and the floor stays', async () => {
    await site.applyPolicy('deleted', { allow: [cidrRule] });
    const [output] = (await site.ready('deleted')).status?.inForce?.outputs ?? [];
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'deleted');
    await site.gone(output?.name ?? '');
    expect(await site.kubectl.get('networkpolicy', '-n', namespace, 'agentplane-floor')).toBeDefined();
  });

  it('an empty policy is in force and allows nothing', async () => {
    await site.applyPolicy('empty', {});
    await site.ready('empty');
    const [output] = await outputsOf('empty');
    expect(output?.spec).toMatchObject({ egress: [{}], enableDefaultDeny: { egress: true, ingress: false } });
  });

  it('is not Ready where it asks for proof that nobody has given', async () => {
    await site.applyPolicy('proof', { allow: [cidrRule], require: { verification: 'Probed' } });
    const seen = await site.reason('proof', 'NotProbed');
    expect(summary(seen)).toMatchObject({ Applied: 'True/Applied', Ready: 'Unknown/NotProbed' });
  });
});

describe('a policy that is refused', () => {
  it('for its content: nothing is written, and the message names rule and way out', async () => {
    await site.applyPolicy('invalid', { allow: [{ ...cidrRule, to: [{ cidr: { block: '203.0.113.5/24' } }] }] });
    const seen = await site.reason('invalid', 'InvalidPolicy');
    expect(conditionOf(seen, 'Accepted')?.message).toBe(
      'rule corp, destination 0: 203.0.113.5/24 has host bits set: write 203.0.113.0/24',
    );
    expect(summary(seen)).toMatchObject({
      Supported: 'True/Supported',
      Compiled: 'False/CompilationFailed',
      Applied: 'False/NotCompiled',
    });
    expect(await outputsOf('invalid')).toEqual([]);
  });

  it('for a missing profile, and is in force once it is there', async () => {
    await site.kubectl.apply([policy(namespace, 'waits', { profileRef: { name: 'later' }, allow: [cidrRule] })]);
    const seen = await site.reason('waits', 'DependencyMissing');
    expect(conditionOf(seen, 'DependenciesResolved')?.message).toContain('RuntimeProfile later does not exist');
    await site.kubectl.apply([profile(namespace, 'later', 'later-agent')]);
    await site.ready('waits');
  });

  it('for an identity that an older policy has, and is in force once that is gone', async () => {
    await site.applyPolicy('elder', { id: 'same', allow: [cidrRule] });
    await site.ready('elder');
    await waitUntil('the next second', { timeoutMs: 3000, intervalMs: 50 }, async () => {
      const created = (await getPolicy(site.kubectl, namespace, 'elder'))?.metadata.creationTimestamp ?? '';
      return Date.now() - Date.parse(created) > 1000;
    });
    await site.applyPolicy('younger', { id: 'same', allow: [cidrRule] });
    const seen = await site.reason('younger', 'IdentityConflict');
    expect(conditionOf(seen, 'Accepted')?.message).toContain('elder');
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'elder');
    await site.ready('younger');
  });

  it('a second profile of one account is refused, and so are its policies', async () => {
    await site.kubectl.apply([profile(namespace, 'twin', ACCOUNT)]);
    await site.kubectl.apply([policy(namespace, 'of-twin', { profileRef: { name: 'twin' }, allow: [cidrRule] })]);
    // At first the profile may not have been seen yet, which is the same reason.
    const refused = /twin is not accepted: .*older RuntimeProfile research/;
    const isRefused = (seen: PolicyObject) => refused.test(conditionOf(seen, 'DependenciesResolved')?.message ?? '');
    const seen = await waitForPolicy(site.kubectl, { namespace, name: 'of-twin' }, isRefused);
    expect(summary(seen).Ready).toBe('False/DependencyMissing');
  });
});

describe('ownership', () => {
  it('a stranger with the name of our output is reported and never touched, also when the policy goes', async () => {
    await site.applyPolicy('template', { id: 'contested', allow: [cidrRule] });
    const name = await site.outputOf('template');
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'template');
    await site.gone(name);
    const stranger = {
      apiVersion: 'cilium.io/v2',
      kind: 'CiliumNetworkPolicy',
      metadata: { name, namespace },
      spec: { endpointSelector: { matchLabels: { app: 'theirs' } }, egress: [{}] },
    };
    await site.kubectl.apply([stranger]);
    const before = await site.cilium(name);
    await site.applyPolicy('contested', { id: 'contested', allow: [cidrRule] });
    const seen = await site.reason('contested', 'OwnershipConflict');
    expect(conditionOf(seen, 'Applied')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(`${name} exists and is not ours`),
    });
    await site.kubectl.run('delete', 'egresspolicy', '-n', namespace, 'contested');
    const after = await site.cilium(name);
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    expect(after?.metadata.uid).toBe(before?.metadata.uid);

    await site.applyPolicy('contested', { id: 'contested', allow: [cidrRule] });
    await site.reason('contested', 'OwnershipConflict');
    await site.kubectl.run('delete', 'ciliumnetworkpolicy', '-n', namespace, name);
    await site.ready('contested');
  });
});

describe('a change of mind', () => {
  it('does not overwrite a field that somebody else holds: FieldConflict names the manager', async () => {
    await site.applyPolicy('held', { allow: [cidrRule] });
    const output = (await site.ready('held')).status?.inForce?.outputs[0];
    const live = await site.cilium(output?.name ?? '');
    const claim = {
      apiVersion: 'cilium.io/v2',
      kind: 'CiliumNetworkPolicy',
      metadata: { name: output?.name, namespace },
      spec: live?.spec,
    };
    await site.kubectl.apply([claim], '--field-manager=gitops');
    await site.applyPolicy('held', { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] });
    const seen = await site.reason('held', 'FieldConflict');
    expect(conditionOf(seen, 'Applied')?.message).toContain('gitops');
    const after = await site.cilium(output?.name ?? '');
    expect(after?.spec).toEqual(live?.spec);
  });
});

describe('the floor', () => {
  it('nothing is created while it is missing, and what is in force stays', async () => {
    await site.applyPolicy('floor-before', { allow: [cidrRule] });
    await site.ready('floor-before');
    const floor = await site.kubectl.get<KubeObject>('networkpolicy', '-n', namespace, 'agentplane-floor');
    await site.kubectl.run('delete', 'networkpolicy', '-n', namespace, 'agentplane-floor');
    try {
      await site.reason('floor-before', 'FloorMissing');
      expect(await outputsOf('floor-before')).toHaveLength(1);
      await site.applyPolicy('floor-during', { allow: [cidrRule] });
      await site.reason('floor-during', 'FloorMissing');
      expect(await outputsOf('floor-during')).toEqual([]);
    } finally {
      const { name, labels = {} } = floor?.metadata ?? { name: 'agentplane-floor' };
      await site.kubectl.apply([
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'NetworkPolicy',
          metadata: { name, namespace, labels },
          spec: floor?.spec,
        },
      ]);
    }
    await site.ready('floor-before');
    await site.ready('floor-during');
  });
});
