import { describe, expect, test } from 'vitest';
import { type Flag, parseFlags, UsageError } from './flags.ts';

const flags: readonly Flag[] = [
  { name: 'filename', short: 'f', value: 'FILE', description: '', many: true },
  { name: 'output', short: 'o', value: 'A|B', description: '', default: 'a' },
  { name: 'all', short: 'A', description: '' },
];
const parse = (...args: readonly string[]) => parseFlags(flags, args);

describe('flags', () => {
  test('a flag that may be given again takes what belongs to no other', () => {
    expect(parse('-f', 'a', 'b', '--filename=c', '-o', 'x', 'd').all('filename')).toEqual(['a', 'b', 'c', 'd']);
    expect(parse('-fa', '--', '-b').all('filename')).toEqual(['a', '-b']);
  });

  test('a switch is off unless given', () => {
    expect(parse('-f', 'a').given('all')).toBe(false);
    expect(parse('-f', 'a', '-A').given('all')).toBe(true);
  });

  test('a default stands in for what is not given', () => {
    expect(parse('-f', 'a').text('output')).toBe('a');
    expect(parse('-f', 'a', '-o=').text('output')).toBe('=');
    expect(parse('-f', 'a', '--output=').text('output')).toBe('');
  });

  test.each([
    [['-f', 'a', '-o', 'x', '-o', 'y'], '--output is given twice'],
    [['-f', 'a', '--all=true'], '--all takes no value'],
    [['-f', 'a', '--output'], '--output needs a value: A|B'],
    [['-f', '-A'], '--filename needs a value: FILE'],
    [['-A'], 'missing: --filename'],
    [['-f', 'a', '--outptu', 'x'], 'there is no flag --outptu: did you mean --output?'],
    [['-f', 'a', '-x'], 'there is no flag -x'],
    [['-f', 'a', '--toString'], 'there is no flag --toString'],
  ])('%j', (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(message);
  });

  test('standard input is a value, a negative number after = as well', () => {
    expect(parse('-f', '-').all('filename')).toEqual(['-']);
    expect(parse('-f', 'a', '--output=-1').text('output')).toBe('-1');
  });

  test('without a flag for it, an argument is refused', () => {
    expect(() => parseFlags([], ['x'])).toThrow('"x" belongs to no flag');
  });
});
