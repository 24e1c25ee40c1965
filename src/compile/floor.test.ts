import { describe, expect, it } from 'vitest';
import { floorState } from './floor.ts';

const floor = (spec: Readonly<Record<string, unknown>>) =>
  floorState({ spec: { podSelector: {}, policyTypes: ['Egress'], ...spec } }, 'team-a', 'label');
const governed = [{ key: 'agentplane.dev/profile', operator: 'Exists' }];

describe('the floor', () => {
  it.each([
    ['that selects every pod', {}],
    ['that selects every governed pod', { podSelector: { matchExpressions: governed } }],
    ['that also denies ingress', { policyTypes: ['Ingress', 'Egress'] }],
    ['with an empty egress list', { egress: [] }],
  ])('%s is one', (_, spec) => {
    expect(floor(spec)).toEqual({ ok: true });
  });

  it.each([
    ['that is about ingress only', { policyTypes: ['Ingress'] }, /does not deny egress/],
    ['without policy types', { policyTypes: undefined }, /does not deny egress/],
    ['that allows something', { egress: [{}] }, /allows egress/],
    ['that selects some pods', { podSelector: { matchLabels: { app: 'x' } } }, /does not select every governed pod/],
    [
      'that selects pods without a profile',
      { podSelector: { matchExpressions: [{ ...governed[0], operator: 'DoesNotExist' }] } },
      /does not select/,
    ],
    [
      'that narrows the governed pods',
      { podSelector: { matchExpressions: governed, matchLabels: { app: 'x' } } },
      /does not select/,
    ],
  ])('%s is none, and the message says the way out', (_, spec, message) => {
    expect(floor(spec)).toMatchObject({ ok: false, message: expect.stringMatching(message) });
    expect(floor(spec)).toMatchObject({ message: expect.stringContaining('governedNamespaces') });
  });

  it('that selects labelled pods is none over a provider that governs by account', () => {
    const spec = { podSelector: { matchExpressions: governed }, policyTypes: ['Egress'] };
    expect(floorState({ spec }, 'team-a', 'account')).toMatchObject({
      ok: false,
      message: expect.stringContaining('floor: AllPods'),
    });
    expect(floorState({ spec: { ...spec, podSelector: {} } }, 'team-a', 'account')).toEqual({ ok: true });
  });

  it('that does not exist is none', () => {
    expect(floorState(undefined, 'team-a', 'label')).toMatchObject({
      ok: false,
      message: expect.stringContaining('does not exist'),
    });
  });
});
