import { describe, expect, it } from 'vitest';
import type { KubeObject, ManagedFieldsEntry } from '../../kube/types.ts';
import { MAX_PAUSE_MS, pauseManagers, pauseObjection, pauseOf } from './pause.ts';

const now = new Date('2030-01-01T12:00:00Z');
const paused = { reason: 'maintenance', until: '2030-01-01T13:00:00Z' };
const endingIn = (ms: number) => ({ ...paused, until: new Date(now.getTime() + ms).toISOString() });

const setPause = { 'f:spec': { 'f:pause': { 'f:until': {}, 'f:reason': {} }, 'f:allow': {} } };
const setRules = { 'f:spec': { 'f:allow': {} } };

function policy(...managedFields: readonly ManagedFieldsEntry[]): KubeObject {
  const metadata = { name: 'p', labels: { a: 'b' }, managedFields };
  return { apiVersion: 'agentplane.dev/v1alpha1', kind: 'EgressPolicy', metadata };
}

describe('a pause', () => {
  it('lasts until its end, and not a moment longer', () => {
    expect(pauseOf(endingIn(1), policy(), now)).toMatchObject({ kind: 'Active', reason: 'maintenance' });
    expect(pauseOf(endingIn(0), policy(), now)).toBeUndefined();
    expect(pauseOf(endingIn(-1), policy(), now)).toBeUndefined();
    expect(pauseOf(undefined, policy(), now)).toBeUndefined();
  });

  it('may last seven days, and is judged again when a longer one may begin', () => {
    expect(pauseOf(endingIn(MAX_PAUSE_MS), policy(), now)?.kind).toBe('Active');
    const tooLong = pauseOf(endingIn(MAX_PAUSE_MS + 5000), policy(), now);
    expect(tooLong).toMatchObject({ kind: 'TooLong', untilMs: now.getTime() + 5000 });
    expect(pauseObjection(tooLong, {})).toBeUndefined();
  });

  it('says who set it: the last manager that holds it, also after the cache has dropped the rest', () => {
    const seen = policy(
      { manager: 'author', time: '2030-01-01T11:00:00Z', fieldsV1: setRules },
      { manager: 'first', time: '2030-01-01T10:00:00Z', fieldsV1: setPause },
      { manager: 'second', time: '2030-01-01T10:30:00Z', fieldsV1: setPause },
    );
    expect(pauseOf(paused, seen, now)).toMatchObject({ by: 'second' });
    const kept = { ...seen, metadata: pauseManagers(seen) };
    expect(pauseOf(paused, kept, now)).toMatchObject({ by: 'second' });
    expect(JSON.stringify(kept)).not.toMatch(/author|f:allow/);
    expect(kept.metadata.labels).toEqual({ a: 'b' });
  });

  it('is an objection that says what, who, until when and why; without one there is none', () => {
    const seen = policy({ manager: 'kubectl', fieldsV1: setPause });
    const drift = { manager: 'intruder', field: '.spec.egress' };
    expect(pauseObjection(pauseOf(paused, seen, now), drift)).toEqual({
      ok: false,
      reason: 'DriftAccepted',
      message: 'intruder changed .spec.egress; it is left so until 2030-01-01T13:00:00Z, says kubectl: maintenance',
    });
    expect(pauseObjection(undefined, drift)).toBeUndefined();
  });
});
