/** What a policy claims to be enforced, by what the probe has shown. */
import { describe, expect, it } from 'vitest';
import type { CapabilityReportStatus } from '../../api/capability-report.ts';
import type { ProofFinding } from '../../api/enforcement.ts';
import { factsFor, specOf } from '../../compile/testing.ts';
import { PRODUCT_VERSION } from '../../version.ts';
import { enforcedFinding, judgeProof } from './proof.ts';

const now = new Date('2030-01-01T12:00:00Z');
const facts = factsFor('cilium');
const report = (...capabilities: NonNullable<CapabilityReportStatus['enforcement']>[number]['capability'][]) => ({
  provider: { name: 'cilium', version: '1.20.2' } as const,
  capabilityHash: 'sha256:a',
  probed: { provider: 'cilium', version: '1.20.2', capabilityHash: 'sha256:a', compiler: PRODUCT_VERSION } as const,
  enforcement: capabilities.map((capability) => ({
    capability,
    result: 'Verified' as const,
    reason: 'Proven',
    message: 'so',
    at: '2030-01-01T11:00:00Z',
    expiresAt: '2030-01-01T13:00:00Z',
    nodes: { covered: 1 },
  })),
});
const cidr = specOf({ allow: [{ name: 'a', to: [{ cidr: { block: '203.0.113.0/24' } }], ports: [{ port: 443 }] }] });

describe('the proof of a policy', () => {
  it('is of what its spec needs', () => {
    const judged = (...shown: Parameters<typeof report>) => judgeProof(cidr, { report: report(...shown), facts, now });
    expect(judged('isolation', 'cidr')).toMatchObject({ status: 'True', reason: 'Probed' });
    expect(judged('isolation')).toMatchObject({ status: 'Unknown', reason: 'NotProbed' });
    expect(judged('cidr')).toMatchObject({ status: 'Unknown', reason: 'NotProbed' });
  });

  it('is none where the spec cannot be read: it needs nothing that could be named', () => {
    expect(judgeProof(undefined, { report: report('isolation'), facts, now })).toMatchObject({ status: 'Unknown' });
  });

  it('is none by a report that is too old', () => {
    const stale = { state: 'Stale', observedAt: '2030-01-01T00:00:00Z' } as const;
    expect(judgeProof(cidr, { report: report('isolation', 'cidr'), facts: stale, now })).toMatchObject({
      status: 'Unknown',
      reason: 'NotProbed',
    });
  });
});

describe('what is not applied', () => {
  const proven: ProofFinding = { status: 'True', reason: 'Probed', message: 'so' };
  const failed: ProofFinding = { status: 'False', reason: 'ProbeFailed', message: 'so' };

  it('is not enforced, whatever the cluster can do', () => {
    expect(enforcedFinding(proven, true)).toBe(proven);
    expect(enforcedFinding(proven, false)).toMatchObject({ status: 'Unknown', reason: 'NotProbed' });
  });

  it('does not hide that the cluster does not enforce', () => {
    expect(enforcedFinding(failed, false)).toBe(failed);
    expect(enforcedFinding(failed, true)).toBe(failed);
  });
});
