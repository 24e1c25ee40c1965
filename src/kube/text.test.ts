import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedText } from './text.ts';

describe('boundedText', () => {
  it('keeps what is harmless', () => {
    expect(boundedText('größe 😀 "x" {{ $(y) }}', 100)).toBe('größe 😀 "x" {{ $(y) }}');
  });

  it('shows what is hidden', () => {
    expect(boundedText('a\u202eb\u200bc\u2028d\u0000', 100)).toBe('a\\u{202e}b\\u{200b}c\\u{2028}d\\u{0}');
  });

  it('cuts between characters', () => {
    expect(boundedText('ééééé', 7)).toBe('éé...');
    expect(boundedText('abc', 3)).toBe('abc');
    expect(boundedText('abcd', 2)).toBe('ab');
  });

  it('is always bounded, well-formed and free of control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(200), (text, max) => {
        const bounded = boundedText(text, max);
        expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(max);
        expect(bounded.isWellFormed()).toBe(true);
        expect(bounded).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
