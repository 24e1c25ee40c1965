/** Whatever rules there are: Cedar, the canonical JSON and a naive reading of the rules give one answer, and order changes no byte. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOADED_WORDS, REFUSED_TEXTS, unfit } from '../../../test/support/arbitrary-policy-hostile.ts';
import { seeded } from '../../../test/support/seed.ts';
import {
  type Answer,
  answerOfCedar,
  answerOfJson,
  answerOfRules,
  cedarProblems,
} from '../../../test/support/tool-policies.ts';
import { EFFECTS, type ToolRule, toolRules } from '../../api/tool-rule.ts';
import { compileBundle } from '../bundle/compile-bundle.ts';
import { readRules } from '../bundle/rules-text.ts';
import { AGENT_ID, bundleOf, bundleRequest } from '../bundle/testing.ts';

const TIMEOUT_MS = 120_000;
const BUNDLES = 1500;

/** Few letters and short words: patterns must meet names often, and each other. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '_', '.', '/', '-'), minLength: 1, maxLength: 4 });
const loaded = fc.constantFrom(...LOADED_WORDS);
const name = fc.oneof({ weight: 6, arbitrary: word }, { weight: 1, arbitrary: loaded });
const pattern = fc
  .array(
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom('a', 'b', '_') }, { weight: 1, arbitrary: fc.constant('*') }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((parts) => parts.join('').replace(/\*+/g, '*'));
const server = fc.constantFrom('a', 'A', 'a.b', '__proto__', 'constructor');
const id = fc.oneof(fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,4}[a-z0-9])?$/), fc.constant('constructor'));
const rule: fc.Arbitrary<ToolRule> = fc.record({
  id,
  effect: fc.constantFrom(...EFFECTS),
  server,
  tools: fc.uniqueArray(fc.oneof(name, pattern), { minLength: 1, maxLength: 5 }),
});
const rules = fc.uniqueArray(rule, { selector: (each) => each.id, maxLength: 8 });
const call = fc.record({
  server: fc.oneof({ weight: 5, arbitrary: server }, { weight: 1, arbitrary: fc.string() }),
  tool: fc.oneof(
    { weight: 4, arbitrary: name },
    { weight: 4, arbitrary: pattern },
    { weight: 1, arbitrary: fc.constantFrom(...Object.values(REFUSED_TEXTS).filter((text) => text.isWellFormed())) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  ),
});

describe(`${BUNDLES} bundles`, () => {
  it('mean the same in every format, and Cedar finds nothing wrong with any', { timeout: TIMEOUT_MS }, () => {
    const seen = new Map<Answer, number>();
    fc.assert(
      fc.property(rules, fc.array(call, { minLength: 6, maxLength: 6 }), (written, calls) => {
        expect(toolRules.safeParse(written).success).toBe(true);
        const { data } = bundleOf({ rules: written });
        expect(cedarProblems(data)).toEqual([]);
        for (const each of calls) {
          const expected = answerOfRules(written, each);
          expect(answerOfJson(data, each)).toBe(expected);
          expect(answerOfCedar(data, AGENT_ID, each)).toBe(expected);
          seen.set(expected, (seen.get(expected) ?? 0) + 1);
        }
      }),
      seeded(BUNDLES),
    );
    // Agreement about nothing but denials would prove little.
    for (const effect of EFFECTS) expect(seen.get(effect) ?? 0, effect).toBeGreaterThan(BUNDLES / 10);
  });

  it('have the same bytes in any order, and others when a rule is another', { timeout: TIMEOUT_MS }, () => {
    const shuffledTools = (each: ToolRule) =>
      fc.shuffledSubarray([...each.tools], { minLength: each.tools.length }).map((tools) => ({ ...each, tools }));
    const orders = rules.chain((written) =>
      fc.record({
        written: fc.constant(written),
        shuffled: fc
          .shuffledSubarray(written, { minLength: written.length })
          .chain((shuffled) => fc.tuple(...shuffled.map(shuffledTools))),
      }),
    );
    fc.assert(
      fc.property(orders, rule, ({ written, shuffled }, other) => {
        const output = bundleOf({ rules: written });
        expect(JSON.stringify(bundleOf({ rules: shuffled }))).toBe(JSON.stringify(output));
        const more = written.filter((each) => each.id !== other.id);
        const changed = JSON.stringify(more) !== JSON.stringify(written);
        if (changed) expect(bundleOf({ rules: more }).metadata.name).not.toBe(output.metadata.name);
      }),
      seeded(BUNDLES),
    );
  });
});

describe('rules as a text', () => {
  const text = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 60 }),
    rules.map((written) => JSON.stringify({ rules: written })),
    fc.tuple(rules, fc.string(), fc.nat()).map(([written, put, at]) => {
      const whole = JSON.stringify({ rules: written });
      return whole.slice(0, at % whole.length) + put + whole.slice(at % whole.length);
    }),
    fc
      .record({ rules: fc.array(fc.record({ id: fc.string(), effect: fc.string(), tools: fc.jsonValue() })) })
      .map((value) => JSON.stringify(value)),
  );

  it('are read or refused without a throw, and what is read compiles', { timeout: TIMEOUT_MS }, () => {
    let accepted = 0;
    fc.assert(
      fc.property(text, (written) => {
        const sha256 = createHash('sha256').update(written).digest('hex');
        const result = readRules({ text: written, key: 'bundle.json', sha256 });
        expect(Object.keys(Object.prototype)).toEqual([]);
        if (!result.ok) {
          expect(unfit(result.message)).toBeUndefined();
          return;
        }
        accepted += 1;
        expect(compileBundle(bundleRequest({ rules: result.rules })).kind).toBe('Compiled');
      }),
      seeded(5000),
    );
    expect(accepted).toBeGreaterThan(500);
  });
});
