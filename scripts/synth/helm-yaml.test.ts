import { describe, expect, it } from 'vitest';
import type { ValueType } from '../../constructs/expr/ast.ts';
import { Expr } from '../../constructs/expr/expr.ts';
import { onlyIf, spread, toJson } from '../../constructs/expr/fragment.ts';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { merged } from '../../constructs/expr/operators.ts';
import { helmYaml } from './helm-yaml.ts';

const value = <T>(name: string, type: ValueType) => new Expr<T>({ op: 'ref', root: 'Values', path: [name], type });
const written = (object: unknown) => helmYaml(toJson(object) as JsonMap);

describe('the Helm writer', () => {
  it.each([
    ['a string', value<string>('s', 'string'), 'x: {{ $.Values.s | quote }}\n'],
    ['an integer', value<number>('n', 'int'), 'x: {{ int64 $.Values.n }}\n'],
    ['a boolean', value<boolean>('b', 'bool'), 'x: {{ $.Values.b }}\n'],
    [
      'a map',
      value<object>('m', 'map'),
      'x: {{- required "m has a character that YAML cannot hold" (toYaml $.Values.m) | nindent 2 }}\n',
    ],
    [
      'a part of a string',
      `100%-${value<number>('n', 'int')}`,
      'x: {{ printf "100%%-%d" (int64 $.Values.n) | quote }}\n',
    ],
  ])('writes %s by its type', (_, field, expected) => {
    expect(written({ x: field })).toBe(expected);
  });

  it.each([
    ['plain', 'plain text', 'plain text'],
    ['a word that YAML 1.1 takes for a boolean', 'yes', '"yes"'],
    ['a number', '1.0', '"1.0"'],
    ['braces', 'a {{ b }}', '"a {{ "{{" }} b {{ "}}" }}"'],
    ['three braces', '{{{', '"{{ "{{" }}{"'],
    ['a line break', 'a\nb', '"a\\nb"'],
    ['a character that YAML allows nowhere', 'a\u007fb', '"a\\u007fb"'],
    ['nothing', '', '""'],
  ])('keeps a literal string a string: %s', (_, literal, expected) => {
    expect(written({ x: literal })).toBe(`x: ${expected}\n`);
  });

  it('writes empty collections, null and numbers', () => {
    expect(written({ a: {}, b: [], c: null, d: 1, e: false })).toBe('a: {}\nb: []\nc: null\nd: 1\ne: false\n');
  });

  it('puts a key, and an element, under its condition', () => {
    const when = value<boolean>('b', 'bool');
    expect(written({ x: onlyIf(when, 1) })).toBe('{{- if $.Values.b }}\nx: 1\n{{- end }}\n');
    expect(written({ x: [1, onlyIf(when, 2)] })).toBe('x:\n  - 1\n  {{- if $.Values.b }}\n  - 2\n  {{- end }}\n');
  });

  it('gives the dash a line of its own where an action comes first: the action would trim it away', () => {
    const item = { a: onlyIf(value<boolean>('b', 'bool'), 1), b: 2 };
    expect(written({ x: [item] })).toBe('x:\n  -\n    {{- if $.Values.b }}\n    a: 1\n    {{- end }}\n    b: 2\n');
  });

  it('merges a map of values into a literal one', () => {
    const labels = { a: 'b', ...spread(value<Record<string, string>>('m', 'map')) };
    expect(written({ labels })).toBe(
      'labels:\n  a: b\n  {{- if not (empty $.Values.m) }}\n  {{- required "m has a character that YAML cannot hold" (toYaml $.Values.m) | nindent 2 }}\n  {{- end }}\n',
    );
  });

  it('leaves out a key whose map is that of values, where it is empty', () => {
    expect(written({ x: { labels: spread(value<Record<string, string>>('m', 'map')) } })).toBe(
      'x:\n  {{- if not (empty $.Values.m) }}\n  labels: {{- required "m has a character that YAML cannot hold" (toYaml $.Values.m) | nindent 4 }}\n  {{- end }}\n',
    );
  });

  it('asks of merged maps whether one has entries', () => {
    const [narrow, wide] = [value<Record<string, string>>('n', 'map'), value<Record<string, string>>('w', 'map')];
    expect(written({ labels: spread(merged(narrow, wide)) })).toContain(
      '{{- if not (and (empty $.Values.n) (empty $.Values.w)) }}',
    );
  });

  it('refuses a fragment where a value has to be', () => {
    const misplaced = spread(value<Record<string, string>>('m', 'map'));
    expect(() => written({ x: Object.keys(misplaced)[0] })).toThrow(/a spread cannot be the value of a key/);
  });

  it('refuses a path that a Go template cannot write', () => {
    const path = new Expr<string>({ op: 'ref', root: 'Values', path: ['pod-labels'], type: 'string' });
    expect(() => written({ x: path })).toThrow(/pod-labels/);
  });

  it('refuses a list inside a string', () => {
    expect(() => written({ x: `a${value<string[]>('l', 'list')}` })).toThrow(/join it first/);
  });
});
