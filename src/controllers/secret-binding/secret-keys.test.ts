import { describe, expect, it } from 'vitest';
import { observedOf, secretKeys } from './secret-keys.ts';

const entry = (fieldsV1: Readonly<Record<string, unknown>>) =>
  ({ manager: 'm', operation: 'Update', fieldsV1 }) as const;

describe('the keys of a Secret', () => {
  it('are those that any manager is booked with', () => {
    const managedFields = [
      entry({ 'f:data': { '.': {}, 'f:token': {}, 'f:a.b': {} }, 'f:type': {} }),
      entry({ 'f:stringData': { 'f:user': {} } }),
      entry({ 'f:metadata': { 'f:labels': { 'f:not-a-key': {} } } }),
      { manager: 'nothing' },
    ];
    expect(secretKeys({ managedFields })).toEqual(new Set(['token', 'a.b', 'user']));
  });

  it('are none when managers are booked, but with no key', () => {
    expect(secretKeys({ managedFields: [entry({ 'f:type': {} })] })).toEqual(new Set());
    expect(secretKeys({ managedFields: [entry({ 'f:data': 'x' })] })).toEqual(new Set());
  });

  it('are not known when nobody is booked', () => {
    expect(secretKeys({})).toBeUndefined();
    expect(secretKeys({ managedFields: [] })).toBeUndefined();
  });
});

describe('what is observed of a Secret', () => {
  const found = { kind: 'Found', keys: new Set(['token', 'user']) } as const;
  it.each([
    ['all keys that are asked for', found, ['token'], 'Present', []],
    ['not all of them', found, ['token', 'a', 'b'], 'KeyMissing', ['a', 'b']],
    ['no Secret', { kind: 'Missing' } as const, ['token'], 'Missing', []],
    ['nothing that can be told', { kind: 'NotReadable', message: '' } as const, ['token'], 'NotReadable', []],
  ])('%s', (_, look, keys, ...[observed, missingKeys]) => {
    expect(observedOf(look, keys)).toEqual({ observed, missingKeys });
  });
});
