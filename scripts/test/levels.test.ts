import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../lib/repository.ts';
import { chooseLevels, type Lane, LEVELS, RECORDED, STAGES, tallyOf } from './levels.ts';

const file = (name: string, status: string, tests: readonly [string, string, string?][], message = '') => ({
  name: `${REPOSITORY}/${name}`,
  status,
  message,
  assertionResults: tests.map(([fullName, verdict, failure]) => ({
    fullName,
    status: verdict,
    failureMessages: failure === undefined ? [] : [failure],
  })),
});
const green = file('src/a.test.ts', 'passed', [['a works', 'passed']]);
const report = {
  success: true,
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 0,
  testResults: [green],
};

describe('the tally of a level', () => {
  it('is what the report says', () => {
    expect(tallyOf(report, 0)).toEqual({ passed: 7, failed: 0, skipped: 1, failures: [] });
  });

  it.each([
    ['the runner failed although no test did', report, 1, { passed: 7, failed: 1, skipped: 1 }],
    ['a file could not be loaded', { ...report, success: false }, 0, { passed: 7, failed: 1, skipped: 1 }],
    ['tests failed', { ...report, success: false, numFailedTests: 3 }, 1, { passed: 7, failed: 3, skipped: 1 }],
    ['there is no report', undefined, 0, { passed: 0, failed: 1, skipped: 0 }],
  ])('is never green when %s, and says what to look at', (_, found, code, expected) => {
    const tally = tallyOf(found, code);
    expect(tally).toMatchObject(expected);
    expect(tally.failures).not.toEqual([]);
  });

  it('names each test that failed, and each file that did not run, with the first line of why', () => {
    const red = file('src/b.test.ts', 'failed', [
      ['b works', 'passed'],
      ['b holds', 'failed', '\u001b[31mAssertionError: 1 is not 2\u001b[39m\n    at b.test.ts:3'],
    ]);
    const unread = file('src/c.test.ts', 'failed', [], 'SyntaxError: no such export\nmore');
    expect(tallyOf({ ...report, success: false, testResults: [green, red, unread] }, 1).failures).toEqual([
      'src/b.test.ts > b holds: AssertionError: 1 is not 2',
      'src/c.test.ts: SyntaxError: no such export',
    ]);
  });
});

describe('the levels that run', () => {
  it('are all, or those named, and what compares the records with any that is recorded', () => {
    expect(chooseLevels([])).toEqual(LEVELS);
    expect(chooseLevels(['chart', 'unit'])).toEqual(['unit', 'chart']);
    expect(chooseLevels(['timing'])).toEqual(['timing', 'rights']);
    expect(chooseLevels(['rights'])).toEqual(['rights']);
    expect(() => chooseLevels(['all'])).toThrow('"all" is no test level');
  });
});

describe('the stages', () => {
  const levelsOf = (stage: readonly Lane[]) => stage.flatMap((lane) => lane.levels);
  const inOrder = STAGES.flatMap(levelsOf);

  it('run every level once, and timing alone', () => {
    expect([...inOrder].sort()).toEqual([...LEVELS].sort());
    expect(STAGES.map(levelsOf).find((levels) => levels.includes('timing'))).toEqual(['timing']);
  });

  it('compare what is recorded after all of it', () => {
    for (const level of RECORDED) expect(inOrder.indexOf(level)).toBeLessThan(inOrder.indexOf('rights'));
  });

  it('show as it comes what is not in the background', () => {
    expect(STAGES.map((stage) => stage.at(-1)?.background ?? false)).toEqual(STAGES.map(() => false));
  });
});
