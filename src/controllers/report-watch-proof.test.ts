/** What the probe writes into the report, and when it wakes the policies. */
import { describe, expect, it } from 'vitest';
import type { CapabilityReportStatus, Enforcement } from '../api/capability-report.ts';
import { nextChangeMs, proofSummary } from './report-news.ts';

const now = new Date('2030-01-01T12:00:00Z');
const maxAgeMs = 300_000;
const result = (changed: Partial<Enforcement> = {}): Enforcement => ({
  capability: 'isolation',
  result: 'Verified',
  reason: 'Proven',
  message: 'so',
  at: '2030-01-01T11:59:00Z',
  expiresAt: '2030-01-01T12:02:00Z',
  nodes: { covered: 1 },
  ...changed,
});
const report = (...enforcement: Enforcement[]): CapabilityReportStatus => ({
  observedAt: '2030-01-01T11:59:30Z',
  capabilityHash: 'sha256:a',
  enforcement,
});
const summary = (item: Enforcement, at = now) => proofSummary(report(item), at);

describe('the results of the probe', () => {
  it('are no news when they are shown again', () => {
    const again = result({ at: '2030-01-01T12:00:00Z', expiresAt: '2030-01-01T12:30:00Z', nodes: { covered: 2 } });
    expect(summary(again)).toBe(summary(result()));
  });

  it.each<[string, Partial<Enforcement>]>([
    ['another result', { result: 'Failed' }],
    ['another reason', { reason: 'DenyLeaked' }],
    ['an end that has passed', { expiresAt: '2030-01-01T12:00:00Z' }],
  ])('are news: %s', (_, changed) => {
    expect(summary(result(changed))).not.toBe(summary(result()));
  });

  it('are news when they expire', () => {
    expect(summary(result(), new Date('2030-01-01T12:02:00Z'))).not.toBe(summary(result()));
  });
});

describe('the next look', () => {
  it('is when a result expires, or when the report grows stale, whichever is sooner', () => {
    expect(nextChangeMs(report(result()), { maxAgeMs, now })).toBe(120_000);
    const long = result({ expiresAt: '2030-01-01T13:00:00Z' });
    expect(nextChangeMs(report(long), { maxAgeMs, now })).toBe(270_000);
    expect(nextChangeMs(report(long, result()), { maxAgeMs, now })).toBe(120_000);
  });

  it('goes on after the one that has passed', () => {
    const past = result({ expiresAt: '2030-01-01T11:00:00Z' });
    expect(nextChangeMs(report(past), { maxAgeMs, now })).toBe(270_000);
    expect(nextChangeMs({ ...report(result()), observedAt: '2030-01-01T11:00:00Z' }, { maxAgeMs, now })).toBe(120_000);
  });

  it('is never, of a report that says nothing or where all has passed', () => {
    expect(nextChangeMs(undefined, { maxAgeMs, now })).toBeUndefined();
    expect(nextChangeMs({}, { maxAgeMs, now })).toBeUndefined();
    expect(nextChangeMs({ observedAt: '2030-01-01T11:00:00Z' }, { maxAgeMs, now })).toBeUndefined();
  });
});
