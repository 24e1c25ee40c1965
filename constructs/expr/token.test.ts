import { describe, expect, it } from 'vitest';
import { release, text } from './expr.ts';
import { encodeToken, splitTokens, wholeToken } from './token.ts';

describe('a token', () => {
  const token = { kind: 'expr', node: { op: 'literal', value: 'ü {{ "x" }}' } } as const;

  it('survives as a string, alone and inside another', () => {
    expect(wholeToken(encodeToken(token))).toEqual(token);
    expect(splitTokens(`a${encodeToken(token)}b`)).toEqual(['a', token, 'b']);
  });

  it('is not seen in a string that holds more', () => {
    expect(wholeToken(`a${encodeToken(token)}`)).toBeUndefined();
    expect(wholeToken('plain')).toBeUndefined();
  });

  it.each(['⟦', 'a ⟧', `${encodeToken(token)}⟧`, encodeToken(token).slice(0, -1)])(
    'refuses a stray delimiter: %s',
    (broken) => {
      expect(() => splitTokens(broken)).toThrow(/reserved/);
    },
  );
});

describe('an expression inside a string', () => {
  it('becomes a concatenation', () => {
    const { node } = release.name;
    expect(text(`x-${release.name}`).node).toEqual({ op: 'concat', parts: [{ op: 'literal', value: 'x-' }, node] });
    expect(text(`${release.name}`).node).toEqual(node);
  });

  it('refuses what only a field of its own can hold', () => {
    const spread = encodeToken({ kind: 'spread', map: { op: 'literal', value: '' } });
    expect(() => text(`x-${spread}`)).toThrow(/a spread cannot stand inside a string/);
  });
});
