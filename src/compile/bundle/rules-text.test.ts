import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LOADED_WORDS, REFUSED_TEXTS, unfit } from '../../../test/support/arbitrary-policy-hostile.ts';
import { readRules } from './rules-text.ts';
import { RULES } from './testing.ts';

const read = (text: string) =>
  readRules({ text, key: 'bundle.json', sha256: createHash('sha256').update(text).digest('hex') });
const refusal = (value: unknown) => {
  const result = read(typeof value === 'string' ? value : JSON.stringify(value));
  return result.ok ? 'accepted' : result.message;
};
const [rule] = RULES;

describe('a text that holds rules', () => {
  it('gives them, however it is laid out', () => {
    expect(read(JSON.stringify({ rules: RULES }, null, 4))).toEqual({ ok: true, rules: RULES });
    expect(read('{"rules":[]}')).toEqual({ ok: true, rules: [] });
  });

  it('is another one when a byte differs: it is not looked into', () => {
    const result = readRules({ text: 'TOP-SECRET', key: 'bundle.json', sha256: '0'.repeat(64) });
    expect(result).toEqual({
      ok: false,
      reason: 'Digest',
      message: expect.stringMatching(/^key bundle.json has another SHA-256 than spec.source.configMapRef.sha256/),
    });
    // Neither the text nor its hash: who may guess the one could prove it by the other.
    expect(JSON.stringify(result)).not.toMatch(/TOP-SECRET|[1-9a-f][0-9a-f]{63}/);
  });
});

describe('a refusal names the key and the path', () => {
  it.each([
    ['no JSON', '{"rules": [}', 'key bundle.json: it is not JSON'],
    ['nothing', '', 'key bundle.json: it is not JSON'],
    ['no object', '[]', /^key bundle.json: .*expected object/],
    ['no rules', {}, /^key bundle.json: rules: .*expected array/],
    [
      'an effect that there is not',
      { rules: [{ ...rule, effect: 'TOP-SECRET' }] },
      /rules\[0\]\.effect: Invalid option/,
    ],
    ['a tool that is none', { rules: [rule, { ...rule, id: 'b', tools: ['a b'] }] }, /rules\[1\]\.tools\[0\]: /],
    [
      'an unknown field',
      { rules: [{ ...rule, TOPSECRET: 1 }] },
      'key bundle.json: rules[0]: has a field that there is not',
    ],
    [
      'an unknown field beside the rules',
      { rules: [], TOPSECRET: 1 },
      'key bundle.json: has a field that there is not',
    ],
    ['two rules of one id', { rules: [rule, rule] }, /rules: items must have unique "id"/],
    ['__proto__', '{"rules":[],"__proto__":{}}', 'key bundle.json: has a field that there is not'],
    ['__proto__ of a rule', '{"rules":[{"__proto__":{}}]}', /rules\[0\]: has a field that there is not/],
    ['a field twice', '{"rules":[{}],"rules":[]}', 'key bundle.json: a field is given twice: leave one of them out'],
    ['more rules than there may be', { rules: Array(257).fill(0) }, 'key bundle.json: rules: has more than 256 items'],
    [
      'more tools than there may be',
      { rules: [{ ...rule, tools: Array(65).fill('a') }] },
      'key bundle.json: rules[0].tools: has more than 64 items',
    ],
  ])('%s', (_, text, expected) => {
    expect(refusal(text)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
    expect(refusal(text)).not.toMatch(/TOP-?SECRET/);
  });

  it('of many problems the first, and how many more', () => {
    const rules = Array.from({ length: 40 }, (_, i) => ({ ...rule, id: `r${i}`, effect: 'no' }));
    expect(refusal({ rules })).toMatch(/rules\[4\]\.effect: .*; and 35 more$/);
  });

  it('whatever stands at any place of it', () => {
    const places = ['id', 'effect', 'server'] as const;
    for (const hostile of [...Object.values(REFUSED_TEXTS), ...LOADED_WORDS]) {
      const texts = [
        hostile,
        JSON.stringify(hostile),
        ...places.map((place) => JSON.stringify({ rules: [{ ...rule, [place]: hostile }] })),
        JSON.stringify({ rules: [{ ...rule, tools: [hostile] }] }),
        JSON.stringify({ rules: [Object.fromEntries([...Object.entries(rule ?? {}), [hostile, 1]])] }),
        JSON.stringify(Object.fromEntries([[hostile, []]])),
      ];
      for (const text of texts) expect(unfit(refusal(text))).toBeUndefined();
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each([
    ['nested lists', '['.repeat(500_000)],
    ['nested rules', `{"rules":${'['.repeat(250_000)}${']'.repeat(250_000)}}`],
    ['half a million items', `{"rules":[${'0,'.repeat(500_000)}0]}`],
    ['half a million tools', `{"rules":[{"tools":[${'0,'.repeat(500_000)}0]}]}`],
    ['half a million fields', `{${Array.from({ length: 80_000 }, (_, i) => `"f${i}":0`).join(',')}}`],
    ['an endless string', `{"rules":"${'\\\\'.repeat(500_000)}"}`],
  ])('of %s costs no more than a moment', (_, text) => {
    const started = process.threadCpuUsage();
    expect(refusal(text).length).toBeLessThan(300);
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1000);
  });
});
