import { describe, expect, it } from 'vitest';
import { judgeEgress } from './egress.ts';
import { type Draft, policyOf } from './testing.ts';

const context = { profile: 'research', wasOpen: false };
const refused: Draft = { generation: 2, reason: 'UnsupportedProvider' };
const unjudged: Draft = { generation: 2, observed: 1 };
const judge = (
  requirement: 'Applied' | 'Enforced' | 'None',
  drafts: Readonly<Record<string, Draft>>,
  wasOpen = false,
) => {
  const policies = Object.entries(drafts).map(([name, draft]) => policyOf(name, draft));
  const { status, message } = judgeEgress(requirement, policies, { ...context, wasOpen });
  return `${status}: ${message}`;
};

describe('egress that is not required', () => {
  it('holds without a policy, and with one that is refused', () => {
    expect(judge('None', {})).toMatch(/^True/);
    expect(judge('None', { a: refused })).toMatch(/^True/);
  });
});

describe.each(['Applied', 'Enforced'] as const)('egress that must be %s', (requirement) => {
  it('holds when every policy is in force, and proven where that is asked for', () => {
    expect(judge(requirement, { a: { enforced: 'True' }, b: { enforced: 'True' } })).toMatch(/^True/);
  });

  it.each([
    ['there is no policy', {}, 'False: no EgressPolicy names RuntimeProfile research'],
    [
      'the only one is being deleted',
      { a: { metadata: { deletionTimestamp: 'now' } } },
      'False: no EgressPolicy names',
    ],
    [
      'one is refused',
      { a: { enforced: 'True' }, b: refused },
      'False: EgressPolicy b generation 2 is not in force: UnsupportedProvider',
    ],
    [
      'none was ever judged',
      { b: unjudged, a: { observed: null } },
      'Unknown: EgressPolicy a generation 1 has not been judged yet',
    ],
  ] as const)('does not hold when %s', (_, drafts, expected) => {
    expect(judge(requirement, drafts)).toContain(expected);
    if (!expected.startsWith('Unknown')) expect(judge(requirement, drafts, true)).toContain(expected);
  });

  it('is as it was while the newest spec of a policy is not judged', () => {
    expect(judge(requirement, { a: unjudged }, true)).toMatch(/^True/);
    expect(judge(requirement, { a: { enforced: 'True' }, b: unjudged })).toMatch(/^True/);
    expect(judge(requirement, { a: refused, b: unjudged }, true)).toMatch(/^False/);
  });

  it('names the first of many, so that its text does not change with each of them', () => {
    expect(judge(requirement, { c: refused, b: refused, a: refused })).toContain('EgressPolicy a generation 2');
  });
});

describe('a policy that is in force but not proven', () => {
  it('is enough for Applied, and not for Enforced', () => {
    expect(judge('Applied', { a: {} })).toMatch(/^True/);
    expect(judge('Enforced', { a: {} })).toBe(
      'False: EgressPolicy a generation 1 is in force, but not proven: NotProbed',
    );
  });

  it('is not proven by what was said of an older generation', () => {
    const policy = policyOf('a', { generation: 2 });
    const { conditions } = policy.status as { readonly conditions: readonly { readonly type: string }[] };
    const stale = { type: 'Enforced', status: 'True', reason: 'Probed', observedGeneration: 1 };
    const others = conditions.filter(({ type }) => type !== 'Enforced');
    const old = { ...policy, status: { observedGeneration: 2, conditions: [...others, stale] } };
    expect(judgeEgress('Enforced', [old], context).status).toBe('False');
  });
});

describe('a status that is not one', () => {
  it.each([[{ observedGeneration: 1, conditions: 'x' }], [{ observedGeneration: '1' }], [[]], ['x']])(
    '%j is no verdict',
    (status) => {
      const policy = { ...policyOf('a'), status };
      expect(judgeEgress('Applied', [policy], context).status).not.toBe('True');
    },
  );
});
