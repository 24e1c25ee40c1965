import { describe, expect, it } from 'vitest';
import type { CapabilityReportStatus } from '../api/capability-report.ts';
import { dueInMs, hasResults } from './due.ts';

const now = new Date('2030-01-01T12:00:00Z');
const compiler = '1.0.0';
const intervalMs = 600_000;

function report(at: string, changed: Partial<CapabilityReportStatus> = {}): CapabilityReportStatus {
  return {
    capabilityHash: 'sha256:a',
    provider: { name: 'cilium', version: '1.20.2' },
    probed: { provider: 'cilium', version: '1.20.2', capabilityHash: 'sha256:a', compiler },
    enforcement: [
      {
        capability: 'isolation',
        result: 'Verified',
        reason: 'Proven',
        message: 'so',
        at,
        expiresAt: '2030-01-01T12:20:00Z',
        nodes: { covered: 1 },
      },
    ],
    ...changed,
  };
}

const due = (of: CapabilityReportStatus | undefined, disappointments = 0) =>
  dueInMs({ report: of, compiler, intervalMs, disappointments, now });

describe('the next run', () => {
  it('is after the interval, by when the last one was', () => {
    expect(due(report('2030-01-01T11:59:00Z'))).toBe(540_000);
    expect(due(report('2030-01-01T11:50:00Z'))).toBe(0);
    expect(due(report('2030-01-01T11:00:00Z'))).toBe(0);
  });

  it.each([
    [1, 60_000],
    [2, 120_000],
    [3, 240_000],
    [4, 480_000],
    [5, 600_000],
    [50, 600_000],
  ])('after %i that did not come out as hoped is in %i ms, never later than usual', (disappointments, delayMs) => {
    expect(due(report('2030-01-01T12:00:00Z'), disappointments)).toBe(delayMs);
  });

  it.each<[string, CapabilityReportStatus | undefined]>([
    ['there are no results', report('2030-01-01T12:00:00Z', { probed: undefined, enforcement: undefined })],
    [
      'they are of another version',
      report('2030-01-01T12:00:00Z', { provider: { name: 'cilium', version: '1.20.3' } }),
    ],
    ['the capabilities are others', report('2030-01-01T12:00:00Z', { capabilityHash: 'sha256:b' })],
    ['they are from the future', report('2030-01-01T12:00:01Z')],
  ])('is now when %s', (_, of) => {
    expect(due(of)).toBe(0);
  });
});

describe('results', () => {
  it('are there while they are about this cluster and count', () => {
    expect(hasResults(report('2030-01-01T11:00:00Z'), compiler, now)).toBe(true);
    expect(hasResults(report('2030-01-01T11:00:00Z'), '1.0.1', now)).toBe(false);
    expect(hasResults(report('2030-01-01T11:00:00Z'), compiler, new Date('2030-01-01T12:20:00Z'))).toBe(false);
    expect(hasResults(undefined, compiler, now)).toBe(false);
  });
});
