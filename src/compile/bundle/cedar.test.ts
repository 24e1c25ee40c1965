/** What Cedar itself makes of the policies. Generated rules: src/compile/properties/bundle.property.test.ts. */
import { describe, expect, it } from 'vitest';
import { answerOfCedar, askCedar, cedarProblems } from '../../../test/support/tool-policies.ts';
import { MAX_TOOL_RULES, MAX_TOOLS } from '../../api/tool-rule.ts';
import { AGENT_ID, bundleOf } from './testing.ts';

const { data } = bundleOf();
const answer = (server: string, tool: string, agent = AGENT_ID) => answerOfCedar(data, agent, { server, tool });

describe('Cedar', () => {
  it('has nothing against the policies and their schema', () => {
    expect(cedarProblems(data)).toEqual([]);
  });

  it.each([
    ['an exact name', 'get_issue', 'Allow'],
    ['a pattern', 'search_issues', 'Allow'],
    ['a pattern whose star stands for nothing', 'search_', 'Allow'],
    ['a tool that is to be asked for', 'create_issue', 'Ask'],
    ['a tool that one rule allows and another asks for', 'search_code', 'Ask'],
    ['a tool that one rule asks for and another denies', 'create_secret', 'Deny'],
    ['a tool that one rule allows and another denies', 'search_secret_names', 'Deny'],
    ['a tool that no rule knows', 'delete_repository', 'Deny'],
    ['a tool in other letters', 'GET_ISSUE', 'Deny'],
    ['a longer name than the one that is allowed', 'get_issues', 'Deny'],
  ])('answers for %s: %s is %s', (_, tool, expected) => {
    expect(answer('github', tool)).toBe(expected);
  });

  it('denies the same tool of another server, and everything to another agent', () => {
    expect(answer('github', 'get_issue')).toBe('Allow');
    expect(answer('github.example', 'get_issue')).toBe('Deny');
    expect(answer('github', 'get_issue', 'team-b/research')).toBe('Deny');
    expect(answer('github', 'get_issue', 'team-a/other')).toBe('Deny');
  });

  it('tells the rule that decided', () => {
    const attrs = { server: 'github', name: 'search_code' };
    expect(askCedar(data, { agent: AGENT_ID, action: 'callUnattended', attrs }).policies).toEqual(['write/forbid']);
    expect(askCedar(data, { agent: AGENT_ID, action: 'call', attrs }).policies.toSorted()).toEqual([
      'read/permit',
      'write/permit',
    ]);
  });

  it('takes a star for a star only where it stands in a rule', () => {
    const rules = [{ id: 'r', effect: 'Allow' as const, server: 's', tools: ['a*c'] }];
    const { data: starred } = bundleOf({ rules });
    const of = (tool: string) => answerOfCedar(starred, AGENT_ID, { server: 's', tool });
    expect([of('ac'), of('abc'), of('a*c'), of('a\nc'), of('a"c'), of('a\\*c')]).toEqual(Array(6).fill('Allow'));
    expect([of('abcd'), of('*'), of('a*')]).toEqual(Array(3).fill('Deny'));
  });

  it('denies a tool that lacks an attribute, also to whoever does not use the schema', () => {
    const rules = [
      { id: 'all', effect: 'Allow' as const, server: 'github', tools: ['*'] },
      { id: 'none', effect: 'Deny' as const, server: 'github', tools: ['*'] },
    ];
    const { data: both } = bundleOf({ rules });
    const { data: allowed } = bundleOf({ rules: rules.slice(0, 1) });
    const ask = (of: typeof data, attrs: Readonly<Record<string, string>>) =>
      askCedar(of, { agent: AGENT_ID, action: 'call', attrs }, false).allowed;
    expect(ask(allowed, { server: 'github', name: 'x' })).toBe(true);
    for (const attrs of [{ server: 'github' }, { name: 'x' }, {}]) {
      expect(ask(allowed, attrs)).toBe(false);
      expect(ask(both, attrs)).toBe(false);
    }
  });

  it('is refused a request that the schema does not know', () => {
    expect(() => askCedar(data, { agent: AGENT_ID, action: 'call', attrs: { server: 'github' } })).toThrow('name');
  });

  it('reads the longest list of tools: nothing is nested deeper than its parser goes', () => {
    const tools = Array.from({ length: MAX_TOOLS }, (_, i) => `${i}_*`);
    const rules = Array.from({ length: MAX_TOOL_RULES / 4 }, (_, i) => ({
      id: `r${i}`,
      effect: 'Allow' as const,
      server: `s${i}`,
      tools,
    }));
    const { data: large } = bundleOf({ rules });
    expect(cedarProblems(large)).toEqual([]);
    expect(answerOfCedar(large, AGENT_ID, { server: 's63', tool: '63_x' })).toBe('Allow');
  });

  it('takes a policy set without policies: everything is denied', () => {
    const { data: empty } = bundleOf({ rules: [] });
    expect(cedarProblems(empty)).toEqual([]);
    expect(answerOfCedar(empty, AGENT_ID, { server: 'github', tool: 'get_issue' })).toBe('Deny');
  });
});
