import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/support/seed.ts';
import { covers, normalizePattern } from './names.ts';

describe('covers', () => {
  it.each([
    ['api.test', 'api.test', true],
    ['api.test', 'evil.test', false],
    ['*.test', 'api.test', true],
    ['*.test', 'a.api.test', false],
    ['*.test', 'test', false],
    ['**.test', 'a.api.test', true],
    ['**.test', 'test', false],
    ['**.test', '*.test', true],
    ['**.test', '*.*.test', true],
    ['*.test', '**.test', false],
    ['**.api.test', '**.a.api.test', true],
    ['**.a.api.test', '**.api.test', false],
    ['*', '**.test', true],
    ['**.test', '*', false],
    ['a*.test', 'api.test', true],
    ['a*.test', '*api.test', false],
    ['*a*.test', 'a*.test', true],
    ['a*a.test', 'a.test', false],
    ['a*b*c.test', 'a-c-b-c.test', true],
    ['a*bc*c.test', 'abc.test', false],
  ])('%s holds %s: %s', (wide, narrow, expected) => {
    expect(covers(wide, narrow)).toBe(expected);
  });

  const label = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 3 });
  const pattern = fc
    .tuple(fc.boolean(), fc.array(label, { minLength: 1, maxLength: 2 }))
    .map(([anyDepth, labels]) => normalizePattern([...(anyDepth ? ['**'] : []), ...labels].join('.'), true));
  const name = fc
    .array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((labels) => labels.join('.'));

  it('never says so of a pattern that matches a name which the other one does not', () => {
    fc.assert(
      fc.property(pattern, pattern, fc.array(name, { minLength: 20, maxLength: 40 }), (wide, narrow, names) => {
        if (!covers(wide, narrow)) return;
        expect(names.filter((one) => covers(narrow, one) && !covers(wide, one))).toEqual([]);
      }),
      seeded(2_000),
    );
  });

  it('matches names as the regular expression of the pattern does', () => {
    fc.assert(
      fc.property(pattern, name, (wide, one) => {
        const [first, ...rest] = wide === '*' ? ['**', '*'] : wide.split('.');
        const source = [first === '**' ? '([ab]+[.])+' : `${first}${rest.length > 0 ? '.' : ''}`, rest.join('.')].join(
          '',
        );
        const expression = first === '**' ? `([ab]+[.])+${glob(rest.join('.'))}` : glob(source);
        expect(covers(wide, one)).toBe(wide === '*' || new RegExp(`^${expression}$`).test(one));
      }),
    );
  });

  function glob(text: string): string {
    return text.replaceAll('.', '[.]').replaceAll('*', '[ab]*');
  }
});

describe('normalizePattern', () => {
  it.each([
    ['API.Example.Test.', true, 'api.example.test'],
    ['**.x.test', true, '**.x.test'],
    ['***.x.test', true, '**.x.test'],
    ['**.x.test', false, '*.x.test'],
    ['a**b.x.test', true, 'a*b.x.test'],
    ['a.**.x.test', true, 'a.*.x.test'],
    ['**', true, '*'],
    ['*.', true, '*'],
  ])('%s, where any depth is known: %s, is %s', (pattern, anyDepth, expected) => {
    expect(normalizePattern(pattern, anyDepth)).toBe(expected);
  });
});
