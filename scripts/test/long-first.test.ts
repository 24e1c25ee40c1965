import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONG, longFirst } from './long-first.ts';

test('the files that are known to be long are there', () => {
  expect(LONG.filter((file) => !existsSync(file))).toEqual([]);
});

test('they come first, in their own order, and all others after them as they were', () => {
  const [longest = '', next = ''] = LONG;
  const files = ['/b.test.ts', next, '/a.test.ts', longest].map((moduleId) => ({ moduleId }));
  expect(longFirst(files).map(({ moduleId }) => moduleId)).toEqual([longest, next, '/b.test.ts', '/a.test.ts']);
});
