import { expect, it } from 'vitest';
import { MAX_CONDITION_MESSAGE } from '../../api/conditions.ts';
import { EgressPolicy, type EgressPolicySpec } from '../../api/egress-policy.ts';
import { type Parsed, parseSpec } from '../../api/kind.ts';
import type { KnownFacts } from '../../compile/facts.ts';
import { factsFor, requestFor } from '../../compile/testing.ts';
import { type Judgement, judge } from './judge.ts';

function judgeOn(facts: KnownFacts, spec: Parsed<EgressPolicySpec>): Judgement {
  const { owner, limits } = requestFor({});
  return judge(
    {
      owner,
      spec,
      rival: undefined,
      subject: { ok: true, value: { profile: 'research', serviceAccountName: 'research-agent' } },
      facts,
      readable: { ok: true },
      floor: { ok: true },
    },
    limits,
  );
}

it('names a few of many missing capabilities, and says to the end what it would take', () => {
  const rule = (i: number) => ({
    name: `rule-${String(i).padStart(58, 'x')}`,
    to: [{ domain: { name: `host-${i}.example.com` } }],
    ports: [{ port: 443 }],
  });
  const spec = parseSpec(EgressPolicy, {
    profileRef: { name: 'research' },
    dns: { access: 'ClusterResolver' },
    allow: Array.from({ length: 32 }, (_, i) => rule(i)),
  });
  const facts = factsFor('k8s-networkpolicy', { 'domain.exact': 'NoDomainRules' });
  const provider = { ...facts.provider, detail: 'use a provider that filters names' };
  const { supported } = judgeOn({ ...facts, provider }, spec);
  expect(supported.reason).toBe('UnsupportedProvider');
  expect(supported.message.length).toBeLessThan(MAX_CONDITION_MESSAGE);
  expect(supported.message).toMatch(
    /rule rule-x+0 \(item 0\) needs .*; and \d+ more, see status\.unsupported\. use a provider/,
  );
});

it.each([
  ['as its report says', factsFor('k8s-networkpolicy', { kubeAPIServer: 'APIServerAddressForbidden' })],
  ['although its report says otherwise', factsFor('k8s-networkpolicy')],
])('names the address of the API server that no policy may open, and who has to change it, %s', (_, facts) => {
  const spec = parseSpec(EgressPolicy, {
    profileRef: { name: 'research' },
    allow: [{ name: 'api', to: [{ kubeAPIServer: {} }], ports: [{ port: 80 }] }],
  });
  const { accepted, supported, missing, result } = judgeOn(
    { ...facts, apiServerAddresses: ['203.0.113.1', '169.254.169.254'] },
    spec,
  );
  expect(result).toBeUndefined();
  expect(accepted.status).toBe('True');
  expect(supported).toMatchObject({ status: 'False', reason: 'UnsupportedProvider' });
  expect(supported.message).toContain(
    'rule api (item 0) needs kubeAPIServer (APIServerAddressForbidden). 169.254.169.254 is part of 169.254.0.0/16 ' +
      '(link-local addresses, among them the cloud metadata service), which no policy may open: whoever installs the chart agentplane ' +
      'has to correct apiServer.addresses in its values',
  );
  // As the schema of the status has it.
  expect(missing).toEqual([
    { rule: 'api', index: 0, capability: 'kubeAPIServer', reason: 'APIServerAddressForbidden' },
  ]);
});
