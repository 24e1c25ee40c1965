import { describe, expect, it } from 'vitest';
import type { Node } from './ast.ts';
import { evaluate, type Scope } from './evaluate.ts';
import { Expr } from './expr.ts';
import { digits } from './operators.ts';

const scope: Scope = {
  Values: {
    list: [{ name: 'b' }, { name: 'a' }, {}],
    map: { z: '1', a: '2' },
    more: { z: '3', b: '' },
    zero: 0,
    empty: '',
    off: false,
  },
  Release: { Name: 'r', Namespace: 'n', Service: 'Helm' },
  variables: { $item: { name: 'x' } },
};
const ref = (...path: string[]): Node => ({ op: 'ref', root: 'Values', path, type: 'string' });

describe('evaluation', () => {
  it.each<[string, Node, unknown]>([
    ['an absent key is null', ref('none', 'deeper'), null],
    ['a loop variable', { op: 'ref', root: '$item', path: ['name'], type: 'string' }, 'x'],
    ['the release', { op: 'ref', root: 'Release', path: ['Namespace'], type: 'string' }, 'n'],
    ['pluck, with an absent key as an empty string', { op: 'pluck', list: ref('list'), field: 'name' }, ['b', 'a', '']],
    [
      'of a key in two maps, the first, though it be empty',
      { op: 'merged', maps: [ref('more'), ref('map')] },
      { z: '3', b: '', a: '2' },
    ],
    ['pairs, ordered by key', { op: 'pairs', map: ref('map') }, ['a=2', 'z=1']],
    ['the fallback of an empty string', { op: 'orElse', of: ref('empty'), fallback: 'f' }, 'f'],
    ['the fallback of an absent key', { op: 'orElse', of: ref('none'), fallback: 'f' }, 'f'],
    ['a number as its digits', digits(new Expr<number>({ op: 'literal', value: 443 })).node, '443'],
    [
      'a sum',
      {
        op: 'sum',
        of: [
          { op: 'literal', value: 60 },
          { op: 'literal', value: 5 },
        ],
      },
      65,
    ],
    ['zero is empty', { op: 'empty', of: ref('zero') }, true],
    ['false is empty', { op: 'empty', of: ref('off') }, true],
    ['a map with keys is not', { op: 'empty', of: ref('map') }, false],
    ['nothing is always all', { op: 'all', of: [] }, true],
    ['nothing is never any', { op: 'any', of: [] }, false],
  ])('%s', (_, node, expected) => {
    expect(evaluate(node, scope)).toEqual(expected);
  });

  it('refuses a variable outside its loop', () => {
    expect(() => evaluate({ op: 'ref', root: '$ns', path: [], type: 'map' }, scope)).toThrow(
      /\$ns is used outside its loop/,
    );
  });

  it('refuses a string where a list is meant', () => {
    expect(() => evaluate({ op: 'size', list: ref('empty') }, scope)).toThrow(/expected a list/);
  });

  it('refuses a condition that yields no boolean', () => {
    expect(() => evaluate({ op: 'not', of: { op: 'join', list: ref('list'), separator: '' } }, scope)).toThrow(
      /no condition/,
    );
  });
});
