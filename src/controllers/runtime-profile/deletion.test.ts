import { describe, expect, it } from 'vitest';
import { WORKLOADS_FINALIZER } from '../../api/meta.ts';
import { type DeletionRequest, deletionOf, remainingOf } from './deletion.ts';
import { podOf, profileOf } from './testing.ts';

const NOW = new Date('2030-01-01T00:10:00Z');
const going = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['theirs', WORKLOADS_FINALIZER] };
const spec = { deletion: { timeoutSeconds: 900 } };
const request = (change: Partial<DeletionRequest> = {}): DeletionRequest => ({
  profile: profileOf('research', spec, going),
  pods: [],
  claims: [],
  holdsProfiles: true,
  now: NOW,
  ...change,
});
const claim = (name: string) => ({ ...podOf(name), kind: 'PersistentVolumeClaim' });

describe('a deletion', () => {
  it('is none while nobody asks for it', () => {
    const profile = profileOf('research', spec, { finalizers: [WORKLOADS_FINALIZER] });
    expect(deletionOf(request({ profile }))).toEqual({ kind: 'None' });
  });

  it('is not ours to hold up without our finalizer', () => {
    const profile = profileOf('research', spec, { ...going, finalizers: ['theirs'] });
    expect(deletionOf(request({ profile, pods: [podOf('a')] }))).toEqual({ kind: 'Unheld' });
  });

  it('waits for pods and for volumes, and is overdue by its own timeout', () => {
    const remaining = [
      { kind: 'Pod', name: 'a' },
      { kind: 'PersistentVolumeClaim', name: 'data' },
    ];
    const found = deletionOf(request({ pods: [podOf('a')], claims: [claim('data')] }));
    expect(found).toEqual({ kind: 'Held', remaining, overdueInMs: 300_000 });
    expect(deletionOf(request({ claims: [claim('data')] }))).toMatchObject({ remaining: [remaining[1]] });
    expect(deletionOf(request())).toMatchObject({ kind: 'Held', remaining: [] });
  });

  it.each([
    ['has the default timeout where the spec cannot be read', 'x', 0],
    ['may be overdue at once', { deletion: { timeoutSeconds: 0 } }, -600_000],
  ])('%s', (_, unreadable, overdueInMs) => {
    const profile = { ...profileOf('research', {}, going), spec: unreadable };
    expect(deletionOf(request({ profile, pods: [podOf('a')] }))).toMatchObject({ overdueInMs });
  });

  it('is stuck, whatever remains, where this operator may not let it go', () => {
    expect(deletionOf(request({ holdsProfiles: false }))).toEqual({ kind: 'Stuck', remaining: [] });
    expect(deletionOf(request({ holdsProfiles: false, pods: [podOf('a')] }))).toMatchObject({ kind: 'Stuck' });
  });
});

describe('what remains', () => {
  it('is named in order, pods first, and has an end', () => {
    const names = Array.from({ length: 40 }, (_, i) => `p${String(i).padStart(2, '0')}`);
    const found = remainingOf(
      names.toReversed().map((name) => podOf(name)),
      [claim('z')],
    );
    expect(found.map(({ name }) => name)).toEqual(names.slice(0, 32));
    expect(remainingOf([podOf('b')], [claim('a')]).map(({ name }) => name)).toEqual(['b', 'a']);
  });
});
