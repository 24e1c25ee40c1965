import { describe, expect, test } from 'vitest';
import type { Condition } from '../api/conditions.ts';
import { policyStatus } from './policy-status.ts';
import { renderStatusTable } from './render.ts';

const plain = (text: string) => text;
const paint = { good: plain, bad: plain, warn: plain };

function condition(type: string, status: Condition['status'], reason: string, about = 2): Condition {
  return {
    type,
    status,
    reason,
    message: `about ${reason}`,
    observedGeneration: about,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
}

function policy(status: object | undefined, generation = 2) {
  const metadata = { name: 'p', namespace: 'a', generation };
  return {
    apiVersion: 'agentplane.dev/v1alpha1',
    kind: 'EgressPolicy',
    metadata,
    spec: { profileRef: { name: 'r' } },
    status,
  };
}

describe('the line of a policy', () => {
  test('in force', () => {
    const status = {
      observedGeneration: 2,
      inForce: { generation: 2, specHash: 'x', outputs: [] },
      conditions: [condition('Ready', 'True', 'Ready')],
    };
    expect(policyStatus(policy(status))).toMatchObject({
      active: true,
      inForceGeneration: 2,
      ready: { status: 'True' },
      warnings: [],
    });
  });

  test('a newer spec inherits no older success', () => {
    const status = { observedGeneration: 1, conditions: [condition('Ready', 'True', 'Ready', 1)] };
    const line = policyStatus(policy(status));
    expect(line).toMatchObject({
      active: false,
      generation: 2,
      observedGeneration: 1,
      ready: { status: 'Unknown', reason: 'NotObserved' },
    });
    expect(line.ready.message).toContain('generation 1 was True/Ready');
  });

  test('refused, and the previous one kept', () => {
    const conditions = [
      condition('Ready', 'False', 'UnsupportedProvider'),
      condition('Degraded', 'True', 'KeepingPrevious'),
    ];
    const status = { observedGeneration: 2, inForce: { generation: 1, specHash: 'x', outputs: [] }, conditions };
    const line = policyStatus(policy(status));
    expect(line).toMatchObject({ active: false, inForceGeneration: 1, ready: { reason: 'UnsupportedProvider' } });
    expect(line.warnings).toMatchObject([{ reason: 'KeepingPrevious' }]);
    expect(renderStatusTable([line], paint).split('\n')[2]).toMatch(
      /^ +Degraded +KeepingPrevious +about KeepingPrevious$/,
    );
  });

  test('active, and widened by others: both are told', () => {
    const conditions = [condition('Ready', 'True', 'Ready'), condition('Exclusive', 'False', 'WidenedByOtherPolicy')];
    const line = policyStatus(policy({ observedGeneration: 2, conditions }));
    expect(line).toMatchObject({ active: true, warnings: [{ type: 'Exclusive', reason: 'WidenedByOtherPolicy' }] });
  });

  test.each([undefined, {}, { conditions: 'none' }])('never looked at: %j', (status) => {
    expect(policyStatus(policy(status))).toMatchObject({
      active: false,
      ready: { status: 'Unknown', reason: 'NotObserved' },
    });
  });
});

test('a long message is cut, and nothing in it steers the terminal', () => {
  const message = `\u001b[31m${'x'.repeat(500)}`;
  const conditions = [{ ...condition('Ready', 'False', 'Forbidden'), message }];
  const text = renderStatusTable([policyStatus(policy({ observedGeneration: 2, conditions }))], paint);
  expect(text).toContain('\\u{1b}[31mxxx');
  expect(text).toMatch(/\.\.\.$/);
  expect(text.length).toBeLessThan(400);
});
