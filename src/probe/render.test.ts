import { describe, expect, it } from 'vitest';
import { renderProbeJson, renderProbeTable } from './render.ts';
import { worstOf } from './results.ts';
import { staged } from './testing.ts';
import { verdictOf } from './verdict.ts';

const plain = (text: string) => text;
const paint = { good: plain, bad: plain, warn: plain };
const leaking = verdictOf(
  staged({ see: (pod, text) => (/cidr$/.test(pod) && text.includes('.20:') ? { outcome: 'connected' } : {}) }),
);

describe('the table', () => {
  const lines = renderProbeTable(leaking, paint).split('\n');
  const words = (line: string | undefined) => line?.split(/ {2,}/);

  it('has a line for each attempt: what was expected, and what came', () => {
    expect(words(lines[0])).toEqual(['CAPABILITY', 'ASSERTION', 'EXPECTED', 'SEEN', 'RESULT']);
    expect(lines.map(words)).toContainEqual(['cidr', '203.0.113.10:443', 'an answer', 'connected', 'Pass']);
    expect(lines.map(words)).toContainEqual(['cidr', '203.0.113.20:8443', 'none', 'connected', 'Fail']);
  });

  it('and one for each capability', () => {
    expect(lines.map(words)).toContainEqual([
      'cidr',
      'Failed',
      'DenyLeaked',
      '1',
      '203.0.113.20:8443: expected none, seen: connected',
    ]);
    expect(lines.map(words)).toContainEqual(
      expect.arrayContaining([
        'family.ipv6Only',
        'needs a pod with an address of IPv6',
        '-',
        'Inconclusive (NoTarget)',
      ]),
    );
  });
});

it('the JSON says the same', () => {
  const { capabilities, assertions } = JSON.parse(renderProbeJson(leaking)) as Record<string, object[]>;
  expect(capabilities).toContainEqual(expect.objectContaining({ capability: 'cidr', result: 'Failed', nodes: 1 }));
  expect(assertions).toContainEqual({
    capability: 'cidr',
    what: '203.0.113.20:8443',
    expect: 'Blocked',
    seen: 'connected',
    weight: 'Required',
    result: 'Fail',
    reason: 'DenyLeaked',
  });
});

it.each([
  [['Verified', 'Unsupported'], 'Verified'],
  [['Verified', 'Inconclusive'], 'Inconclusive'],
  [['Verified', 'Inconclusive', 'Failed'], 'Failed'],
  [['Unsupported'], 'Inconclusive'],
] as const)('the worst of %j is %s', (results, worst) => {
  const capabilities = results.map(
    (result) => ({ capability: 'cidr', result, reason: 'r', message: '', nodes: 1 }) as const,
  );
  expect(worstOf(capabilities)).toBe(worst);
});
