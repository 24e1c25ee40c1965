/** Hostile text at every place of every schema: no crash, no pollution, and a refusal that names the place and repeats nothing of it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ground, policyFor } from '../../../test/support/arbitrary-policy.ts';
import { requestOn } from '../../../test/support/arbitrary-policy-facts.ts';
import { LOADED_WORDS, REFUSED_TEXTS, unfit } from '../../../test/support/arbitrary-policy-hostile.ts';
import { type Path, placesOf, sampleOf, withAt } from '../../../test/support/schema-places.ts';
import { seeded } from '../../../test/support/seed.ts';
import { EgressPolicy } from '../../api/egress-policy.ts';
import { type Problem, parseSpec } from '../../api/kind.ts';
import { KINDS } from '../../api/kinds.ts';
import { toStructural } from '../../api/structural.ts';
import { compile } from '../compile.ts';

const TIMEOUT_MS = 120_000;

function textOf(path: Path): string {
  return path.reduce<string>((out, step) => (typeof step === 'number' ? `${out}[${step}]` : `${out}.${step}`), 'spec');
}

/** Parses, and demands what has to hold for every refusal. */
function problemsOf(schema: z.ZodObject, value: unknown): readonly Problem[] {
  const parsed = parseSpec({ spec: schema }, value);
  expect(Object.keys(Object.prototype)).toEqual([]);
  if (parsed.ok) return [];
  demandFit(parsed.problems);
  return parsed.problems;
}

function demandFit(problems: readonly { readonly path?: string; readonly message: string }[]): void {
  for (const { path, message } of problems) expect(unfit(`${path ?? ''}: ${message}`)).toBeUndefined();
}

function demandNamed(problems: readonly Problem[], path: Path, what: string): void {
  const paths = problems.map((problem) => problem.path);
  const place = textOf(path);
  const named = paths.some((each) => each === place || each.startsWith(`${place}.`) || each.startsWith(`${place}[`));
  if (!named) throw new Error(`${what} at ${place} is not refused there, but at: ${paths.join(', ') || 'no place'}`);
}

/** Servers and tools have names with dots and slashes, and patterns of tools have stars; nothing takes one for a path. */
function isName(path: Path, what: string): boolean {
  const accepted = path.includes('tools') ? ['a way up', 'a wildcard'] : path.at(-1) === 'server' ? ['a way up'] : [];
  return accepted.includes(what);
}

const schemas = KINDS.flatMap(({ kind, spec, status }) => [
  ...(spec === undefined ? [] : [{ of: `the spec of ${kind}`, schema: spec, refuses: true }]),
  // What a status repeats from elsewhere is free text, made safe by whoever writes it.
  { of: `the status of ${kind}`, schema: status, refuses: false },
]);

describe.each(schemas)('$of', ({ schema, refuses }) => {
  const structural = toStructural(schema);
  const sample = sampleOf(structural);
  const { strings, texts, maps, objects } = placesOf(structural);

  it.each([...strings, ...texts].map((path) => [textOf(path), path] as const))(
    'survives hostile text at %s',
    (_, path) => {
      for (const [what, text] of Object.entries(REFUSED_TEXTS)) {
        const problems = problemsOf(schema, withAt(sample, path, text));
        // An empty label value is a value like another, and so is any language in free text.
        const harmless =
          (text === '' && path.includes('key')) ||
          (texts.includes(path) && unfit(text) === undefined) ||
          isName(path, what);
        if (refuses && !harmless) demandNamed(problems, path, what);
      }
      for (const word of LOADED_WORDS) problemsOf(schema, withAt(sample, path, word));
      for (const other of [null, 1, {}, [], true])
        demandNamed(problemsOf(schema, withAt(sample, path, other)), path, 'no string');
    },
  );

  it('survives hostile keys of its maps', () => {
    for (const path of maps) {
      for (const [what, key] of Object.entries({ ...REFUSED_TEXTS, 'the prototype': '__proto__' })) {
        const problems = problemsOf(schema, withAt(sample, [...path, key], 'a'));
        if (refuses) demandNamed(problems, path, what);
      }
      for (const word of LOADED_WORDS) problemsOf(schema, withAt(sample, [...path, word], 'a'));
    }
  });

  it('refuses unknown fields of every object, whatever they are called', () => {
    for (const path of objects) {
      for (const key of [...Object.values(REFUSED_TEXTS), ...LOADED_WORDS]) {
        const problems = problemsOf(schema, withAt(sample, [...path, key], 'a'));
        expect(problems.some((problem) => problem.path.startsWith(textOf(path)))).toBe(true);
      }
    }
  });
});

describe('an EgressPolicy', () => {
  const place = fc.constantFrom('cilium' as const, 'k8s-networkpolicy' as const).chain(ground);
  const text = fc.oneof(
    fc.constantFrom(...Object.values(REFUSED_TEXTS), ...LOADED_WORDS),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  /** Passes the pattern of the schema, and is mostly no block, no name, no label. */
  const block = fc.stringMatching(/^[0-9a-f.:]{2,39}\/[0-9]{1,3}$/);
  const name = fc.stringMatching(/^[a-z0-9-]{1,9}([.][a-z0-9-]{1,9}){0,3}$/);
  const destination = fc.oneof(
    fc.record({ cidr: fc.record({ block, except: fc.array(block, { maxLength: 2 }) }) }),
    fc.record({ domain: fc.record({ name }) }),
    fc.record({ domain: fc.record({ suffix: name, depth: fc.constant('AnyDepth') }) }),
    fc.record({
      workloads: fc.record({ namespace: name, podLabels: fc.dictionary(fc.oneof(name, text), name, { maxKeys: 3 }) }),
    }),
  );
  const { strings, texts, maps, objects } = placesOf(toStructural(EgressPolicy.spec));
  const anyText = [...strings, ...texts];
  const attack = fc.oneof(
    fc.record({ path: fc.constantFrom(...anyText), value: text }),
    fc.record({ path: fc.constant(['allow', 0, 'to', 0]), value: destination }),
    fc
      .record({ path: fc.constantFrom(...maps, ...objects), key: text })
      .map(({ path, key }) => ({ path: [...path, key], value: 'a' })),
    fc.record({ path: fc.constantFrom(...anyText, ...maps, ...objects), value: fc.jsonValue() }),
  );
  const attacked = place.chain((where) =>
    fc.tuple(policyFor(where), fc.array(attack, { minLength: 1, maxLength: 2 })).map(([written, attacks]) => ({
      where,
      value: attacks.reduce<unknown>((value, { path, value: hostile }) => withAt(value, path, hostile), written),
    })),
  );
  const garbage = fc.record({
    where: place,
    value: fc.oneof(
      fc.jsonValue(),
      fc.jsonValue().map((spec) => ({ profileRef: { name: 'p' }, allow: spec })),
    ),
  });

  it('is parsed and compiled without a throw, whatever stands in it', { timeout: TIMEOUT_MS }, () => {
    let compiled = 0;
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: attacked }, { weight: 1, arbitrary: garbage }),
        ({ where, value }) => {
          const parsed = parseSpec(EgressPolicy, value);
          if (!parsed.ok) return demandFit(parsed.problems);
          demandFit(compile(requestOn(where, parsed.value)).problems);
          compiled += 1;
        },
      ),
      seeded(10_000),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
    // Of those that are refused by their schema nothing is learnt about the compiler.
    expect(compiled).toBeGreaterThan(500);
  });
});
