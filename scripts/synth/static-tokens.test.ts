import { describe, expect, it } from 'vitest';
import { Expr } from '../../constructs/expr/expr.ts';
import { onlyIf, spread, toJson } from '../../constructs/expr/fragment.ts';
import { resolveTokens } from './static-tokens.ts';

const scope = {
  Values: { on: true, off: false, map: { b: '2' }, none: {} },
  Release: { Name: 'r', Namespace: 'n', Service: 'Helm' },
  variables: {},
};
const on = new Expr<boolean>({ op: 'ref', root: 'Values', path: ['on'], type: 'bool' });
const off = new Expr<boolean>({ op: 'ref', root: 'Values', path: ['off'], type: 'bool' });
const map = (name: string) =>
  new Expr<Record<string, string>>({ op: 'ref', root: 'Values', path: [name], type: 'map' });
const resolved = (value: unknown) => resolveTokens(toJson(value), scope);

describe('tokens in the static back-end', () => {
  it('leave keys and elements out, or in', () => {
    expect(resolved({ a: onlyIf(on, 1), b: onlyIf(off, 2), c: [onlyIf(off, 3), onlyIf(on, 4)] })).toEqual({
      a: 1,
      c: [4],
    });
  });

  it('merge maps', () => {
    expect(resolved({ a: '1', ...spread(map('map')) })).toEqual({ a: '1', b: '2' });
  });

  it('leave a key out whose map is that of values, and empty', () => {
    expect(resolved({ x: spread(map('map')), y: spread(map('none')), z: onlyIf(on, spread(map('none'))) })).toEqual({
      x: { b: '2' },
    });
  });

  it('refuse a key that stands twice, which YAML would refuse as well', () => {
    expect(() => resolved({ b: '1', ...spread(map('map')) })).toThrow(/a key stands twice/);
  });

  it.each([
    ['a list', { x: [onlyIf(off, 1)] }],
    ['a map', { x: { y: onlyIf(off, 1) } }],
    ['an element', [spread(map('none'))]],
  ])('refuse %s that comes out empty: Helm would render null', (_, value) => {
    expect(() => resolved(value)).toThrow(/put it under onlyIf/);
  });
});
