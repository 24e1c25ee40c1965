import { expect, it } from 'vitest';
import { MAX_CONDITION_MESSAGE } from '../../api/conditions.ts';
import { EgressPolicy } from '../../api/egress-policy.ts';
import { parseSpec } from '../../api/kind.ts';
import { factsFor, requestFor } from '../../compile/testing.ts';
import { judge } from './judge.ts';

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
  const { owner, limits } = requestFor({});
  const { supported } = judge(
    {
      owner,
      spec,
      rival: undefined,
      subject: { ok: true, value: { profile: 'research', serviceAccountName: 'research-agent' } },
      facts: { ...facts, provider },
      readable: { ok: true },
      floor: { ok: true },
    },
    limits,
  );
  expect(supported.reason).toBe('UnsupportedProvider');
  expect(supported.message.length).toBeLessThan(MAX_CONDITION_MESSAGE);
  expect(supported.message).toMatch(
    /rule rule-x+0 \(item 0\) needs .*; and \d+ more, see status\.unsupported\. use a provider/,
  );
});
