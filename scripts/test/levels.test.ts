import { describe, expect, it } from 'vitest';
import { tallyOf } from './levels.ts';

const report = { success: true, numPassedTests: 7, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0 };

describe('the tally of a level', () => {
  it('is what the report says', () => {
    expect(tallyOf(report, 0)).toEqual({ passed: 7, failed: 0, skipped: 1 });
  });

  it.each([
    ['the runner failed although no test did', report, 1, { passed: 7, failed: 1, skipped: 1 }],
    ['a file could not be loaded', { ...report, success: false }, 0, { passed: 7, failed: 1, skipped: 1 }],
    ['tests failed', { ...report, success: false, numFailedTests: 3 }, 1, { passed: 7, failed: 3, skipped: 1 }],
    ['there is no report', undefined, 0, { passed: 0, failed: 1, skipped: 0 }],
  ])('is never green when %s', (_, found, code, expected) => {
    expect(tallyOf(found, code)).toEqual(expected);
  });
});
