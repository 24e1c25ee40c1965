import { expect, test } from 'vitest';
import type { Verdict } from '../../test/support/probe.ts';
import { planTargets } from '../clusters/target-plan.ts';
import { attemptsFor, isAsExpected, triedTable } from './attempts.ts';

const [attempt] = attemptsFor(planTargets(['10.89.0.0/24']));
const saw = (verdict: Verdict) => ({ verdict, answer: '', detail: '' });

function tried(expected: Verdict, governed: Verdict, free: Verdict) {
  if (attempt === undefined) throw new Error('there are no attempts');
  return { attempt, expected, governed: saw(governed), free: saw(free) };
}

test('a denial counts only where the ungoverned pod gets an answer', () => {
  expect(isAsExpected(tried('denied', 'denied', 'answers'))).toBe(true);
  expect(isAsExpected(tried('denied', 'denied', 'denied'))).toBe(false);
  expect(isAsExpected(tried('denied', 'answers', 'answers'))).toBe(false);
});

test('the table says NO where it came out differently', () => {
  expect(triedTable([tried('denied', 'answers', 'answers')])).toMatch(/ NO$/m);
  expect(triedTable([tried('answers', 'answers', 'answers')])).toMatch(/ yes$/m);
});
