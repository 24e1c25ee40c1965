/** A policy of somebody else opens more to governed pods: told within two seconds, by name and by what it opens, and cleared when it goes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isActive, type Observable } from '../../src/api/active.ts';
import { auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { ACCOUNT, cidrRule, conditionOf, type PolicyObject, PROFILE, waitForPolicy } from '../support/policies.ts';
import { type GovernedSite, OPERATOR_USER, startGovernedSite } from './support/governed-site.ts';

const namespace = 'exclusive';
/** What the issue of such a policy may take until it is told. */
const TOLD_WITHIN_MS = 2000;
const wide = { egress: [{ to: [{ ipBlock: { cidr: '198.51.100.0/24' } }] }], policyTypes: ['Egress'] };
let site: GovernedSite;

beforeAll(async () => {
  site = await startGovernedSite(namespace);
  await site.applyPolicy('governed', { allow: [cidrRule] });
  await site.ready('governed');
});

afterAll(() => site.stop());

function networkPolicy(name: string, spec: object): object {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name, namespace }, spec };
}

function ciliumPolicy(name: string, spec: object): object {
  return { apiVersion: 'cilium.io/v2', kind: 'CiliumNetworkPolicy', metadata: { name, namespace }, spec };
}

function pod(name: string, labels: Readonly<Record<string, string>>): object {
  const containers = [{ name: 'agent', image: 'registry.example.com/agent:1' }];
  const spec = { serviceAccountName: ACCOUNT, containers, nodeName: 'none' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels }, spec };
}

function told(reason: string, message: string, name = 'governed'): Promise<PolicyObject> {
  return waitForPolicy(
    site.kubectl,
    { namespace, name },
    (seen) => {
      const exclusive = conditionOf(seen, 'Exclusive');
      return exclusive?.reason === reason && exclusive.message.includes(message);
    },
    TOLD_WITHIN_MS,
  );
}

const cleared = (name = 'governed') => told('NoOtherPolicy', '', name);

/** What a policy costs its profile is written a moment after the policy. */
async function profileIsReady(): Promise<void> {
  await site.kubectl.run('wait', 'runtimeprofile', PROFILE, '-n', namespace, '--for=condition=Ready', '--timeout=20s');
}

describe('a policy of somebody else', () => {
  it.each([
    ['a NetworkPolicy', networkPolicy('theirs', { podSelector: {}, ...wide }), '198.51.100.0/24 on all ports'],
    [
      'a CiliumNetworkPolicy',
      ciliumPolicy('theirs', { endpointSelector: {}, egress: [{ toCIDR: ['198.51.100.0/24'] }] }),
      '198.51.100.0/24 on all ports',
    ],
  ])(
    '%s that opens more is named with what it opens, takes Ready away, and clears when it goes',
    async (_, theirs, what) => {
      await site.kubectl.apply([theirs]);
      const seen = await told('WidenedByOtherPolicy', `theirs opens ${what}`);
      expect(conditionOf(seen, 'Ready')).toMatchObject({ status: 'False', reason: 'WidenedByOtherPolicy' });
      expect(conditionOf(seen, 'Applied')?.status).toBe('True');
      expect(isActive(seen as Observable)).toBe(false);
      await site.kubectl.remove([theirs]);
      expect(isActive((await cleared()) as Observable)).toBe(true);
    },
  );

  it('raises no alarm, and costs no write, when it opens nothing more: and does once it is widened', async () => {
    await profileIsReady();
    const from = await auditMark(controlPlaneOfWorker());
    const harmless = [
      networkPolicy('ingress-only', { podSelector: {}, policyTypes: ['Ingress'], ingress: [{}] }),
      networkPolicy('narrower', {
        ...wide,
        podSelector: {},
        egress: [{ to: [{ ipBlock: { cidr: '203.0.113.128/25' } }], ports: [{ port: 443 }] }],
      }),
      networkPolicy('unrelated', { ...wide, podSelector: { matchLabels: { app: 'web' } } }),
      ciliumPolicy('unrelated', {
        endpointSelector: { matchLabels: { app: 'web' } },
        egress: [{ toEntities: ['all'] }],
      }),
    ];
    await site.kubectl.apply(harmless);
    // Proof that they were seen: a later policy is told of.
    const last = networkPolicy('last', { podSelector: {}, ...wide });
    await site.kubectl.apply([last]);
    const seen = await told('WidenedByOtherPolicy', 'last opens');
    expect(conditionOf(seen, 'Exclusive')?.message).not.toMatch(/ingress-only|narrower|unrelated/);
    await site.kubectl.remove([last]);
    await cleared();
    await profileIsReady();
    const entries = await auditBetween(controlPlaneOfWorker(), from, await auditMark(controlPlaneOfWorker()));
    const own = auditMatching(entries, { user: OPERATOR_USER, namespace, verb: WRITES });
    expect(auditCounts(own.filter((entry) => entry.objectRef?.resource !== 'events'))).toEqual({
      'patch agentplane.dev/egresspolicies/status': 2,
      // A policy that is widened closes its profile.
      'patch agentplane.dev/runtimeprofiles/status': 2,
    });
    await site.kubectl.remove(harmless);
  });

  it('that selects by a label is told of while a governed pod has it', async () => {
    const theirs = networkPolicy('by-label', { ...wide, podSelector: { matchLabels: { app: 'agent' } } });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ACCOUNT, namespace } };
    await site.kubectl.apply([account, theirs, pod('agent', { app: 'other' })]);
    await cleared();
    await site.kubectl.run('label', 'pod', 'agent', '-n', namespace, 'app=agent', '--overwrite');
    await told('WidenedByOtherPolicy', 'by-label opens');
    await site.kubectl.run('label', 'pod', 'agent', '-n', namespace, 'app=other', '--overwrite');
    await cleared();
    await site.kubectl.run('label', 'pod', 'agent', '-n', namespace, 'app=agent', '--overwrite');
    await told('WidenedByOtherPolicy', 'by-label opens');
    await site.kubectl.run('delete', 'pod', 'agent', '-n', namespace, '--force', '--grace-period=0');
    await cleared();
    await site.kubectl.remove([theirs]);
  });

  it('that copies our labels is told of; another EgressPolicy of the profile is not', async () => {
    const output = await site.cilium(await site.outputOf('governed'));
    const labels = output?.metadata.labels ?? {};
    const copied = {
      ...ciliumPolicy('ap-egress-0000000000000000', {
        endpointSelector: {},
        egress: [{ toCIDR: ['198.51.100.0/24'] }],
      }),
      metadata: { name: 'ap-egress-0000000000000000', namespace, labels },
    };
    await site.applyPolicy('second', { allow: [{ ...cidrRule, to: [{ cidr: { block: '192.0.2.0/24' } }] }] });
    await site.ready('second');
    await site.ready('governed');
    await site.kubectl.apply([copied]);
    await told('WidenedByOtherPolicy', 'ap-egress-0000000000000000 opens');
    await told('WidenedByOtherPolicy', 'ap-egress-0000000000000000 opens', 'second');
    await site.kubectl.remove([copied]);
    await cleared();
    await cleared('second');
  });

  it('that was there before the policy keeps it from ever being Ready', async () => {
    const theirs = networkPolicy('before', { podSelector: {}, ...wide });
    await site.kubectl.apply([theirs]);
    await told('WidenedByOtherPolicy', 'before opens');
    await site.applyPolicy('late', { allow: [cidrRule] });
    const seen = await told('WidenedByOtherPolicy', 'before opens', 'late');
    expect(seen.status?.inForce?.generation).toBe(1);
    expect(isActive(seen as Observable)).toBe(false);
    await site.kubectl.remove([theirs]);
    await site.ready('late');
  });
});
