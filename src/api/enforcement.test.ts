import { describe, expect, it } from 'vitest';
import type { Capability, EnforcementResult } from './capability.ts';
import type { CapabilityReportStatus } from './capability-report.ts';
import { proofOf } from './enforcement.ts';

const COMPILER = '1.0.0';
const now = new Date('2030-01-01T12:00:00Z');
const later = '2030-01-01T12:30:00Z';
const earlier = '2030-01-01T11:59:59Z';

type Results = Partial<Record<Capability, EnforcementResult>>;

function reportWith(results: Results, changed: Partial<CapabilityReportStatus> = {}, expiresAt = later) {
  const provider = { name: 'cilium', version: '1.20.2', configHash: 'sha256:c' } as const;
  const report: CapabilityReportStatus = {
    capabilityHash: 'sha256:a',
    provider,
    probed: {
      provider: 'cilium',
      version: '1.20.2',
      configHash: 'sha256:c',
      capabilityHash: 'sha256:a',
      compiler: COMPILER,
    },
    enforcement: Object.entries(results).map(([capability, result]) => ({
      capability: capability as Capability,
      result,
      reason: 'Said',
      message: 'so',
      at: '2030-01-01T11:00:00Z',
      expiresAt,
      nodes: { covered: 1 },
    })),
    ...changed,
  };
  return report;
}

const proof = (
  report: CapabilityReportStatus | undefined,
  capabilities: readonly Capability[] = ['isolation', 'cidr'],
) => proofOf({ report, capabilities, compiler: COMPILER, now });

describe('what a policy may claim', () => {
  it('is proven when all that it needs is verified', () => {
    expect(proof(reportWith({ isolation: 'Verified', cidr: 'Verified' }))).toMatchObject({
      status: 'True',
      reason: 'Probed',
    });
  });

  it('does not hang on what it does not need', () => {
    const report = reportWith({ isolation: 'Verified', cidr: 'Verified', 'domain.exact': 'Failed' });
    expect(proof(report)).toMatchObject({ status: 'True' });
    expect(proof(report, ['isolation', 'domain.exact'])).toMatchObject({ status: 'False', reason: 'ProbeFailed' });
  });

  it.each<[EnforcementResult | undefined, string, string]>([
    ['Failed', 'False', 'ProbeFailed'],
    ['Inconclusive', 'Unknown', 'ProbeInconclusive'],
    ['Unsupported', 'Unknown', 'NotProbed'],
    [undefined, 'Unknown', 'NotProbed'],
  ])('with one that is %s is %s/%s, and the message names it', (result, status, reason) => {
    const results: Results = { isolation: 'Verified', ...(result === undefined ? {} : { cidr: result }) };
    const found = proof(reportWith(results));
    expect(found).toMatchObject({ status, reason });
    expect(found.message).toContain('cidr');
    expect(found.message).not.toContain('isolation');
  });

  it('says the worst first', () => {
    expect(proof(reportWith({ isolation: 'Failed', cidr: 'Inconclusive' })).reason).toBe('ProbeFailed');
    expect(proof(reportWith({ isolation: 'Inconclusive' })).reason).toBe('ProbeInconclusive');
  });

  it.each<EnforcementResult>(['Verified', 'Failed', 'Inconclusive'])('is unknown after %s has expired', (result) => {
    expect(proof(reportWith({ isolation: result, cidr: result }, {}, earlier))).toMatchObject({
      status: 'Unknown',
      reason: 'ProbeExpired',
    });
  });

  it('is unknown without a report, and without a probe', () => {
    expect(proof(undefined).reason).toBe('NotProbed');
    const { probed: _, ...never } = reportWith({ isolation: 'Verified', cidr: 'Verified' });
    expect(proof(never)).toMatchObject({ status: 'Unknown', reason: 'NotProbed' });
  });
});

describe('a probe of something else says nothing', () => {
  const verified = { isolation: 'Verified', cidr: 'Verified' } as const;
  const provider = { name: 'cilium', version: '1.20.2', configHash: 'sha256:c' } as const;
  it.each<[string, Partial<CapabilityReportStatus>]>([
    ['provider', { provider: { ...provider, name: 'k8s-networkpolicy' } }],
    ['version of the provider', { provider: { ...provider, version: '1.20.3' } }],
    ['configuration of the provider', { provider: { ...provider, configHash: 'sha256:d' } }],
    ['capability report', { capabilityHash: 'sha256:b' }],
  ])('another %s', (what, changed) => {
    expect(proof(reportWith(verified, changed))).toMatchObject({
      status: 'Unknown',
      reason: 'NotProbed',
      message: expect.stringContaining(`another ${what}`),
    });
  });

  it('another version of AgentPlane', () => {
    const found = proofOf({ report: reportWith(verified), capabilities: ['cidr'], compiler: '1.0.1', now });
    expect(found).toMatchObject({ reason: 'NotProbed', message: expect.stringContaining('version of AgentPlane') });
  });

  it('also when it failed', () => {
    expect(proof(reportWith({ isolation: 'Failed' }, { capabilityHash: 'sha256:b' })).reason).toBe('NotProbed');
  });
});
