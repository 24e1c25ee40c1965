import { expect, it } from 'vitest';
import { isAtLeast } from './version.ts';

it.each([
  ['1.19.0', true],
  ['v1.19.0', true],
  ['1.19.0-rc.1', true],
  ['1.20.0', true],
  ['2.0.0', true],
  ['1.18.9', false],
  ['1.9.30', false],
  ['', false],
])('%s is at least 1.19.0: %s', (version, expected) => {
  expect(isAtLeast(version, [1, 19, 0])).toBe(expected);
});
