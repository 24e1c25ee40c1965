import { expect, test } from 'vitest';
import { textTable } from './text.ts';

test('columns are as wide as their widest cell, and no line ends in a space', () => {
  const text = textTable(
    ['tried', 'happened'],
    [
      ['http://a/', 'denied'],
      ['b', ''],
    ],
  );
  expect(text).toBe(['  TRIED      HAPPENED', '  http://a/  denied', '  b'].join('\n'));
});
