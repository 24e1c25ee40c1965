import { describe, expect, it } from 'vitest';
import { buildConditions, type Condition, type ObservedCondition, setCondition, summarizeReady } from './conditions.ts';

const EARLY = '2030-01-01T00:00:00Z';
const NOW = new Date('2030-06-01T12:30:45.678Z');
const NOW_TEXT = '2030-06-01T12:30:45Z';

const observed = (type: string, status: ObservedCondition['status'] = 'True', message = ''): ObservedCondition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
});
const condition = (type: string, status: Condition['status'] = 'True'): Condition => ({
  ...observed(type, status),
  observedGeneration: 1,
  lastTransitionTime: EARLY,
});

describe('buildConditions', () => {
  const build = (previous: Condition[], now: Date, ...judged: ObservedCondition[]) =>
    buildConditions({ previous, observed: judged, generation: 7, now });

  it('moves the transition time with the status only', () => {
    const built = build([condition('A'), condition('B')], NOW, observed('A'), observed('B', 'False', 'why'));
    expect(built).toMatchObject([
      { type: 'A', lastTransitionTime: EARLY, observedGeneration: 7 },
      { type: 'B', lastTransitionTime: NOW_TEXT, observedGeneration: 7, message: 'why' },
    ]);
  });

  it('carries nothing over that was not judged', () => {
    expect(build([condition('Old')], NOW, observed('A')).map(({ type }) => type)).toEqual(['A']);
  });

  it('gives the same result twice, so that an unchanged status is not written', () => {
    const first = build([], NOW, observed('A'));
    expect(build(first, new Date('2031-01-01T00:00:00Z'), observed('A'))).toEqual(first);
  });

  it('does not let time go backwards with the clock', () => {
    expect(build([condition('A')], new Date('2029-01-01T00:00:00Z'), observed('A', 'False'))).toMatchObject([
      { lastTransitionTime: EARLY },
    ]);
  });

  it('bounds and escapes foreign text', () => {
    const [built] = build([], NOW, observed('A', 'False', `\u001b[31m${'x'.repeat(5000)}`));
    expect(built?.message).toMatch(/^\\u\{1b\}\[31mx+\.\.\.$/);
    expect(built?.message.length).toBe(1024);
  });

  it('refuses two judgements of one type', () => {
    expect(() => build([], NOW, observed('A'), observed('A', 'False'))).toThrow(RangeError);
  });
});

describe('setCondition', () => {
  it('replaces in place and leaves the others', () => {
    const next = { ...observed('A', 'Unknown'), observedGeneration: 2 };
    expect(setCondition([condition('A'), condition('B')], next, NOW)).toEqual([
      { ...next, lastTransitionTime: NOW_TEXT },
      condition('B'),
    ]);
  });

  it('appends a new type', () => {
    const next = { ...observed('B'), observedGeneration: 2 };
    expect(setCondition([condition('A')], next, NOW).map(({ type }) => type)).toEqual(['A', 'B']);
  });
});

describe('summarizeReady', () => {
  const order = ['Accepted', 'Resolved', 'Applied'];

  it('is True when everything is', () => {
    const all = order.map((type) => observed(type));
    expect(summarizeReady(all, order)).toEqual({ type: 'Ready', status: 'True', reason: 'Ready', message: '' });
  });

  it('is what stands first in the way', () => {
    const judged = [observed('Applied', 'False', 'c'), observed('Resolved', 'Unknown', 'b'), observed('Accepted')];
    expect(summarizeReady(judged, order)).toEqual({
      type: 'Ready',
      status: 'Unknown',
      reason: 'ResolvedReason',
      message: 'b',
    });
  });

  it('is Unknown when something was not looked at', () => {
    expect(summarizeReady([observed('Accepted')], order)).toMatchObject({ status: 'Unknown', reason: 'NotObserved' });
  });

  it('ignores other conditions', () => {
    const all = [observed('Degraded', 'False'), ...order.map((type) => observed(type))];
    expect(summarizeReady(all, order).status).toBe('True');
  });
});
