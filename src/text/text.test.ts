import { describe, expect, test } from 'vitest';
import { markdownTable } from './markdown-table.ts';
import { markdownText } from './markdown-text.ts';
import { nearest } from './nearest.ts';
import { printable, printableJson } from './printable.ts';
import { table } from './table.ts';

describe('nearest', () => {
  test.each([
    ['statsu', ['status', 'diff'], 'status'],
    ['networkpolcy', ['networkpolicy', 'none'], 'networkpolicy'],
    ['-x', ['-f', '-o'], '-f'],
    ['entirely-other', ['status', 'diff'], undefined],
    ['', ['status'], undefined],
    ['s'.repeat(100_000), ['status'], undefined],
  ])('%.20s', (typed, candidates, expected) => {
    expect(nearest(typed, candidates)).toBe(expected);
  });
});

describe('printable', () => {
  const hostile = 'a\u001b]0;x\u0007\u009b31m\u202e\u2028b\ud800';

  test('nothing steers the terminal', () => {
    expect(printable(hostile)).toBe('a\\u{1b}]0;x\\u{7}\\u{9b}31m\\u{202e}\\u{2028}b\ufffd');
  });

  test('JSON stays the same value', () => {
    const value = { [hostile]: [hostile, '\u{e0001}'] };
    const text = printableJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
  });
});

describe('tables', () => {
  test('columns are as wide as their widest cell, and colours have no width', () => {
    const red = (text: string) => `<red>${text}</red>`;
    expect(
      table(
        ['A', 'LONGER', ''],
        [
          ['xyz', { text: 'y', paint: red }, 'z'],
          ['', '', ''],
        ],
      ),
    ).toBe('A    LONGER\nxyz  <red>y</red>       z\n');
  });

  test('a bar does not end a cell of Markdown', () => {
    expect(markdownTable(['a'], [['x|y']])).toEqual(['| a    |', '| ---- |', '| x\\|y |']);
  });
});

describe('text in Markdown', () => {
  test.each(['ServiceAccount a/sa', 'get, list pods (RoleBinding b, Role r)', 'a_b c-d', 'https: a.b', 'system:node'])(
    '%s is plain',
    (text) => expect(markdownText(text)).toBe(text),
  );

  test.each([
    ...['*a*', '_a', '[a](b)', '<b>', '&amp;', 'a@b', '$a$', '~~a~~', '#1', '!1', 'GH-12', 'https://a', 'www.a', ':a:'],
    ...['a\\', '0123abcd', 'system:serviceaccounts:a'],
  ])('%s is code', (text) => expect(markdownText(text)).toBe(`\`${text}\``));

  test.each([
    ['a`b', '``a`b``'],
    ['`a`', '`` `a` ``'],
    ['a``b`', '``` a``b` ```'],
  ])('%s is code in more marks than it has', (text, code) => expect(markdownText(text)).toBe(code));
});
