import { describe, expect, it } from 'vitest';
import { RuntimeProfile } from '../../api/runtime-profile.ts';
import { type AdmissionRequest, admissionOf } from './admission.ts';
import { bindingOf, bundleOf } from './testing.ts';

const now = new Date('2030-01-01T00:01:00.500Z');
const admit = (request: Partial<AdmissionRequest> = {}) =>
  admissionOf({ generation: 2, closed: undefined, bindings: [], bundles: [], previous: undefined, now, ...request });
const told = (generation: number, open: boolean, since?: string) => ({
  previous: { generation, open, ...(since === undefined ? {} : { since }) },
});

describe('what admits pods', () => {
  it('says since when, and no more', () => {
    expect(admit()).toEqual({ generation: 2, open: true, since: '2030-01-01T00:01:00Z' });
  });

  it('keeps the time at which this generation opened, also while it is closed in between', () => {
    const since = '2029-12-31T00:00:00Z';
    expect(admit(told(2, true, since))).toMatchObject({ open: true, since });
    const closed = admit({ closed: 'no', ...told(2, true, since) });
    expect(closed).toEqual({ generation: 2, open: false, message: 'no', since });
    expect(admit({ previous: closed })).toMatchObject({ open: true, since });
  });

  it('has another time for another generation, and none before it is open', () => {
    const since = '2029-12-31T00:00:00Z';
    expect(admit(told(1, true, since)).since).toBe('2030-01-01T00:01:00Z');
    expect(admit({ closed: 'no', ...told(1, true, since) })).toEqual({ generation: 2, open: false, message: 'no' });
  });
});

describe('the Secrets that pods may name', () => {
  it('are those of bindings in force, with all their keys, in order', () => {
    const bindings = [bindingOf('c', 'z', ['b', 'a']), bindingOf('b', 'a', ['k']), bindingOf('a', 'z', ['c', 'a'])];
    expect(admit({ bindings }).secrets).toEqual([
      { name: 'a', keys: ['k'] },
      { name: 'z', keys: ['a', 'b', 'c'] },
    ]);
  });

  it.each([
    ['is not Ready', bindingOf('b', 's', ['k'], { reason: 'DependencyMissing' })],
    ['was Ready at an older generation', bindingOf('b', 's', ['k'], { generation: 2, observed: 1 })],
    ['is being deleted', bindingOf('b', 's', ['k'], { metadata: { deletionTimestamp: 'now' } })],
    ['is for a proxy', bindingOf('b', 's', ['k'], { spec: { exposure: 'ProxyOnly' } })],
  ])('are not those of a binding that %s', (_, binding) => {
    expect(admit({ bindings: [binding] })).not.toHaveProperty('secrets');
    expect(admit({ bindings: [binding, bindingOf('a', 's', ['other'])] }).secrets).toEqual([
      { name: 's', keys: ['other'] },
    ]);
  });

  it('are told while the profile is closed as well: they do not come and go with it', () => {
    expect(admit({ closed: 'no', bindings: [bindingOf('a', 's', ['k'])] }).secrets).toHaveLength(1);
  });
});

describe('the tool policies that pods may mount', () => {
  it('are the outputs of bundles in force, each once', () => {
    const bundles = [bundleOf('b', 'ap-bundle-2'), bundleOf('a', 'ap-bundle-1'), bundleOf('c', 'ap-bundle-1')];
    expect(admit({ bundles }).bundles).toEqual([
      { name: 'ap-bundle-1', digest: 'sha256:ap-bundle-1' },
      { name: 'ap-bundle-2', digest: 'sha256:ap-bundle-2' },
    ]);
  });

  it.each([
    ['is not Ready', bundleOf('b', 'x', { reason: 'CompilationFailed' })],
    ['was Ready at an older generation', bundleOf('b', 'x', { generation: 2, observed: 1 })],
    ['is being deleted', bundleOf('b', 'x', { metadata: { deletionTimestamp: 'now' } })],
    ['has no output', bundleOf('b', 'x', { status: { output: undefined } })],
  ])('are not those of a bundle that %s', (_, bundle) => {
    expect(admit({ bundles: [bundle] })).not.toHaveProperty('bundles');
  });
});

describe('whatever statuses say', () => {
  const at = (age: number) => ({
    metadata: { creationTimestamp: `2030-01-01T${String(age).padStart(2, '0')}:00:00Z` },
  });
  const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

  it('what is written fits its schema, and what fits stays', () => {
    const bindings = [
      ...numbered(70, 's').map((secret) => bindingOf(secret, secret, ['k'])),
      bindingOf('first', 's0', numbered(31, 'a'), at(1)),
      bindingOf('second', 's0', numbered(2, 'b'), at(2)),
    ];
    const bundles = numbered(20, 'ap-bundle-').map((name) => bundleOf(name, name));
    const admission = admit({ closed: `\u0000${'x'.repeat(5000)}`, bindings, bundles });
    expect(RuntimeProfile.status.safeParse({ admission })).toMatchObject({ success: true });
    expect(admission.secrets).toHaveLength(64);
    expect(admission.secrets?.[0]?.keys).toHaveLength(32);
    expect(admission.bundles).toHaveLength(16);
  });
});
