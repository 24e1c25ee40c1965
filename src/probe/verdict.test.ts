/** Every way in which a run can come out, and that only one of them is a pass. */
import { describe, expect, it } from 'vitest';
import { CAPABILITIES, type Capability } from '../api/capability.ts';
import { factsFor } from '../compile/testing.ts';
import type { Outcome, Seen } from './observation.ts';
import { resultsOf, type See, staged, withoutTargets } from './testing.ts';
import { verdictOf } from './verdict.ts';

const control = (pod: string) => pod === 'agentplane-canary-control';
const of = (name: string) => (pod: string) => pod.startsWith(`agentplane-canary-${name}`);
const cidr = of('cidr');
const isExactly = (name: string) => (pod: string) => pod === `agentplane-canary-${name}`;
const allowed = 'tcp://203.0.113.10:443';
const denied = 'tcp://203.0.113.20:8443';

/** What one pod sees of one attempt, where it is not as usual. */
function seeing(who: (pod: string) => boolean, what: string, seen: Partial<Seen> | undefined): See {
  return (pod, text) => (who(pod) && text === what ? seen : {});
}

describe('a cluster that enforces everything', () => {
  it('is verified, but for what nothing is tried of', () => {
    expect(resultsOf({})).toMatchObject({
      ...Object.fromEntries(CAPABILITIES.map((name) => [name, 'Verified/Proven'])),
      'domain.tlsServerName': 'Inconclusive/NotTried',
      'family.ipv6Only': 'Inconclusive/NoTarget',
    });
  });

  it('is verified without targets for what is tried inside of it', () => {
    expect(resultsOf({ scene: withoutTargets })).toMatchObject({
      isolation: 'Verified/Proven',
      workloads: 'Verified/Proven',
      'ports.range': 'Verified/Proven',
      'dns.clusterResolver': 'Verified/Proven',
      kubeAPIServer: 'Verified/Proven',
      cidr: 'Inconclusive/NoTarget',
      'domain.exact': 'Inconclusive/NoTarget',
      'dns.filter': 'Inconclusive/NoTarget',
    });
  });

  it('also where somebody says no instead of nothing', () => {
    const see: See = (_, __, usual) => (usual === 'silent' ? { outcome: 'refused' } : {});
    expect(resultsOf({ see })).toMatchObject({ isolation: 'Verified/Proven', cidr: 'Verified/Proven' });
  });
});

type Pair = readonly [Outcome, Outcome];

/** The outcomes of the control at the allowed and the denied target, those of the canary, and the result. */
const combinations: readonly (readonly [Pair, Pair, string])[] = [
  [['connected', 'connected'], ['connected', 'silent'], 'Verified/Proven'],
  [['connected', 'connected'], ['connected', 'refused'], 'Verified/Proven'],
  [['connected', 'connected'], ['connected', 'connected'], 'Failed/DenyLeaked'],
  [['connected', 'connected'], ['silent', 'silent'], 'Failed/AllowBlocked'],
  [['connected', 'connected'], ['refused', 'silent'], 'Failed/AllowBlocked'],
  [['connected', 'connected'], ['silent', 'connected'], 'Failed/AllowBlocked'],
  [['connected', 'connected'], ['failed', 'silent'], 'Inconclusive/NotTried'],
  [['connected', 'connected'], ['connected', 'failed'], 'Inconclusive/NotTried'],
  [['silent', 'connected'], ['silent', 'silent'], 'Inconclusive/ControlBlocked'],
  [['refused', 'connected'], ['refused', 'silent'], 'Inconclusive/ControlBlocked'],
  [['silent', 'connected'], ['connected', 'silent'], 'Inconclusive/ControlBlocked'],
  [['connected', 'silent'], ['connected', 'silent'], 'Inconclusive/ControlBlocked'],
  [['connected', 'refused'], ['connected', 'refused'], 'Inconclusive/ControlBlocked'],
  [['silent', 'silent'], ['silent', 'silent'], 'Inconclusive/ControlBlocked'],
  [['silent', 'silent'], ['silent', 'connected'], 'Failed/DenyLeaked'],
  [['connected', 'silent'], ['connected', 'connected'], 'Failed/DenyLeaked'],
];

describe('an allow and a deny', () => {
  it.each(combinations)('control %j, canary %j: %s', (controlSeen, canarySeen, result) => {
    const see: See = (pod, text) => {
      const seen = control(pod) ? controlSeen : isExactly('cidr')(pod) ? canarySeen : undefined;
      const outcome = seen?.[[allowed, denied].indexOf(text)];
      return outcome === undefined ? {} : { outcome };
    };
    expect(resultsOf({ see }).cidr).toBe(result);
  });

  it('of one capability says nothing about the others', () => {
    const results = resultsOf({ see: seeing(isExactly('cidr'), denied, { outcome: 'connected' }) });
    expect(results).toMatchObject({
      cidr: 'Failed/DenyLeaked',
      'cidr.except': 'Verified/Proven',
      isolation: 'Verified/Proven',
    });
  });
});

describe('what did not happen', () => {
  it('is no pass: a canary that did not run', () => {
    expect(resultsOf({ see: (pod) => (cidr(pod) ? undefined : {}) })).toMatchObject({
      cidr: 'Inconclusive/CanaryDidNotRun',
      workloads: 'Verified/Proven',
    });
  });

  it('is no pass: a control that did not run', () => {
    const results = resultsOf({ see: (pod) => (control(pod) ? undefined : {}) });
    expect(results).toMatchObject({
      isolation: 'Inconclusive/ControlDidNotRun',
      cidr: 'Inconclusive/ControlDidNotRun',
    });
    expect(Object.values(results).filter((result) => result.startsWith('Verified'))).toEqual([]);
  });

  it('is a failure all the same when a canary got through', () => {
    const see: See = (pod, text) => {
      if (control(pod)) return undefined;
      return isExactly('cidr')(pod) && text === denied ? { outcome: 'connected' } : {};
    };
    expect(resultsOf({ see }).cidr).toBe('Failed/DenyLeaked');
  });

  it('is no pass: a policy that could not be written', () => {
    const unwritten = new Map<Capability, string>([['cidr', 'Forbidden']]);
    expect(resultsOf({ unwritten, see: seeing(cidr, denied, { outcome: 'connected' }) })).toMatchObject({
      cidr: 'Inconclusive/PolicyNotWritten',
      workloads: 'Verified/Proven',
    });
  });
});

describe('a target that says its word', () => {
  const target = 'tcp://10.0.0.1:8080#target';

  it('is reached only when it does: something in between may take connections', () => {
    expect(resultsOf({ see: seeing(of('workloads'), target, { outcome: 'connected' }) }).workloads).toBe(
      'Failed/AllowBlocked',
    );
    expect(resultsOf({ see: seeing(control, target, { outcome: 'connected' }) }).workloads).toBe(
      'Inconclusive/ControlBlocked',
    );
  });

  it('is too open when a connection to it is made at all', () => {
    expect(resultsOf({ see: seeing(of('floor-2'), target, { outcome: 'connected' }) }).isolation).toBe(
      'Failed/DenyLeaked',
    );
  });
});

describe('isolation', () => {
  it('fails where nothing enforces, although no policy can be compiled there', () => {
    const facts = factsFor('none', Object.fromEntries(CAPABILITIES.map((name) => [name, 'NoEnforcingProvider'])));
    const open: See = () => ({ outcome: 'answered' });
    const results = resultsOf({ facts, see: open });
    expect(results).toMatchObject({ isolation: 'Failed/DenyLeaked', cidr: 'Unsupported/NoEnforcingProvider' });
    expect(resultsOf({ facts }).isolation).toBe('Unsupported/NoEnforcingProvider');
  });

  it('needs an allow that works somewhere in the run: a network that is dead denies everything too', () => {
    const see: See = (pod) => (control(pod) || of('floor')(pod) ? {} : { outcome: 'silent' });
    expect(resultsOf({ see })).toMatchObject({ isolation: 'Inconclusive/OneSided', workloads: 'Failed/AllowBlocked' });
  });

  it('is held back by a first attempt that came too late, and by nothing that is merely not there', () => {
    expect(resultsOf({ firstMs: 101 }).isolation).toBe('Inconclusive/StartedLate');
    expect(resultsOf({ firstMs: 100 }).isolation).toBe('Verified/Proven');
    const metadata = 'tcp://169.254.169.254:80';
    const absent = seeing(() => true, metadata, { outcome: 'silent' });
    expect(resultsOf({ see: absent }).isolation).toBe('Verified/Proven');
    const { rows } = verdictOf(staged({ see: absent }));
    expect(rows.find(({ what }) => what === 'the metadata address')).toMatchObject({
      result: 'Inconclusive',
      reason: 'ControlBlocked',
    });
    expect(resultsOf({ see: seeing(of('floor-1'), metadata, { outcome: 'connected' }) }).isolation).toBe(
      'Failed/DenyLeaked',
    );
  });

  it('is judged by those of its canaries that ran', () => {
    expect(resultsOf({ see: (pod) => (pod.endsWith('floor-3') ? undefined : {}) }).isolation).toBe('Verified/Proven');
    expect(resultsOf({ see: (pod) => (of('floor')(pod) ? undefined : {}) }).isolation).toBe(
      'Inconclusive/CanaryDidNotRun',
    );
  });
});

describe('names', () => {
  const evil = 'name://evil.example.net:443';

  it('that share an address tell nothing, whether it got through or not', () => {
    const shared: See = (_, text) => (text.startsWith('name:') ? { addresses: ['192.0.2.1'] } : {});
    expect(resultsOf({ see: shared })['domain.exact']).toBe('Inconclusive/SameAddress');
    const leaking: See = (pod, text) => ({
      ...shared(pod, text, 'silent'),
      ...(text === evil ? { outcome: 'connected' as const } : {}),
    });
    expect(resultsOf({ see: leaking })['domain.exact']).toBe('Inconclusive/SameAddress');
  });

  it('are blocked when they are not resolved, and when they are and lead nowhere', () => {
    for (const outcome of ['unresolved', 'silent'] as const)
      expect(resultsOf({ see: seeing(of('domain-exact'), evil, { outcome }) })['domain.exact']).toBe('Verified/Proven');
    expect(resultsOf({ see: seeing(of('domain-exact'), evil, { outcome: 'connected' }) })['domain.exact']).toBe(
      'Failed/DenyLeaked',
    );
  });

  it('that may not be asked for must not be resolved', () => {
    const lookup = seeing(of('dns-filter'), 'resolve://evil.example.net', { outcome: 'answered' });
    expect(resultsOf({ see: lookup })).toMatchObject({
      'dns.filter': 'Failed/DenyLeaked',
      'domain.exact': 'Verified/Proven',
    });
  });
});

describe('the message', () => {
  it('says which attempt, what was expected and what came', () => {
    const { capabilities } = verdictOf(staged({ see: seeing(isExactly('cidr'), denied, { outcome: 'connected' }) }));
    expect(capabilities.find(({ capability }) => capability === 'cidr')?.message).toBe(
      '203.0.113.20:8443: expected none, seen: connected',
    );
  });

  it('counts the nodes', () => {
    const { capabilities } = verdictOf(staged({}));
    const nodes = Object.fromEntries(capabilities.map(({ capability, nodes: number }) => [capability, number]));
    expect(nodes).toMatchObject({ isolation: 3, cidr: 1, 'domain.tlsServerName': 0 });
  });
});
