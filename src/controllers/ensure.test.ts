import { describe, expect, it } from 'vitest';
import { KubeError, type KubeErrorReason } from '../kube/errors.ts';
import { type Drift, driftOf } from './drift.ts';
import { type EnsureRequest, ensure } from './ensure.ts';
import { isOurs } from './ownership.ts';
import { desired, owner, type Script, script, stored } from './testing.ts';

const request: EnsureRequest = { desired, owner, generation: 1, recordedUids: [] };
const restore = () => undefined;
const run = ({ client, informer }: Script, overrides: Partial<EnsureRequest> = {}) =>
  ensure({ ...request, ...overrides }, { client, informer, signal: new AbortController().signal });

function fails(reason: KubeErrorReason, details = {}): () => never {
  return () => {
    throw new KubeError(reason, { verb: 'create', resource: 'ciliumnetworkpolicies' }, 'refused', details);
  };
}

function withManager(manager: string): ReturnType<typeof stored> {
  const live = stored({ spec: { egress: [{ toEntities: ['world'] }] } });
  return {
    ...live,
    metadata: { ...live.metadata, managedFields: [{ manager, operation: 'Update', fieldsV1: { 'f:spec': {} } }] },
  };
}

describe('create', () => {
  it('is one POST, and its answer the read-back', async () => {
    const world = script({ create: () => stored() });
    expect(await run(world)).toMatchObject({ ok: true });
    expect(world.calls).toEqual(['create']);
  });

  it('whose answer was lost goes on with the object that is ours', async () => {
    const world = script({ create: fails('AlreadyExists'), get: () => stored() });
    expect(await run(world)).toMatchObject({ ok: true });
    expect(world.calls).toEqual(['create', 'get']);
  });

  it.each([
    ['of nobody', stored({ metadata: { name: desired.metadata.name, uid: 'x' } })],
    [
      'of another controller',
      stored({
        metadata: {
          ...stored().metadata,
          ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'other', controller: true }],
        },
      }),
    ],
    [
      'of the policy that had this name before',
      stored({
        metadata: {
          ...stored().metadata,
          ownerReferences: [{ apiVersion: 'v1', kind: 'EgressPolicy', name: 'p', uid: 'older', controller: true }],
        },
      }),
    ],
    [
      'with our label only',
      stored({ metadata: { name: desired.metadata.name, uid: 'x', labels: desired.metadata.labels } }),
    ],
  ])('never touches an object %s', async (_, live) => {
    const world = script({ create: fails('AlreadyExists'), get: () => live });
    expect(await run(world)).toMatchObject({ ok: false, reason: 'OwnershipConflict' });
    expect(world.calls).toEqual(['create', 'get']);
  });

  it('an object whose owner was stripped is still ours when the status recorded its UID', async () => {
    const { ownerReferences: _, ...metadata } = stored().metadata;
    const world = script({ apply: () => stored() });
    world.cached.set(desired.metadata.name, stored({ metadata }));
    expect(await run(world, { recordedUids: ['uid-output'], judgeDrift: restore })).toMatchObject({ ok: true });
    expect(world.calls).toEqual(['apply force=true']);
  });
});

describe('ownership', () => {
  it('ends when another controller takes the object over, whatever our status recorded', () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'other', controller: true }];
    expect(isOurs(stored({ metadata: { ...stored().metadata, ownerReferences } }), owner, ['uid-output'])).toBe(false);
    expect(isOurs(stored(), owner, [])).toBe(true);
  });

  it.each([
    ['another group', { apiVersion: 'nobody.example/v1' }],
    ['another kind', { kind: 'ConfigMap' }],
    ['another name', { name: 'nope' }],
    ['another UID', { uid: 'other' }],
    ['no say', { controller: false }],
  ])('is not had by copying our UID and labels into an owner with %s', (_, part) => {
    const metadata = stored().metadata;
    const ownerReferences = desired.metadata.ownerReferences.map((reference) => ({ ...reference, ...part }));
    const forged = stored({ metadata: { ...metadata, ownerReferences } });
    expect(isOurs(forged, owner, [])).toBe(false);
    // What our status recorded stays ours when such a mark is changed, and the mark is put back.
    const isOurUid = !('uid' in part);
    expect(isOurs(forged, owner, ['uid-output'])).toBe(isOurUid);
    expect(driftOf(desired, forged)).toEqual({ field: '.metadata.ownerReferences' });
  });
});

describe('read-back', () => {
  it('of something else than was sent removes the object: pruned rules may mean "everywhere"', async () => {
    const world = script({ create: () => stored({ spec: { egress: [{ toPorts: [] }] } }) });
    expect(await run(world)).toMatchObject({ ok: false, reason: 'ApplyRejected' });
    expect(world.calls).toEqual(['create', 'delete uid-output']);
  });

  it('of a second list of rules beside ours removes the object too', async () => {
    const world = script({ create: () => stored({ specs: [{ egress: [{ toEntities: ['world'] }] }] }) });
    expect(await run(world)).toMatchObject({ ok: false, reason: 'ApplyRejected' });
  });
});

describe('update', () => {
  it('of an object that is as decided is no write', async () => {
    const world = script({});
    world.cached.set(desired.metadata.name, stored());
    expect(await run(world)).toMatchObject({ ok: true });
    expect(world.calls).toEqual([]);
  });

  it('takes over from our own POST by force', async () => {
    const world = script({ apply: () => stored() });
    world.cached.set(desired.metadata.name, stored({ spec: { egress: [] } }));
    await run(world);
    expect(world.calls).toEqual(['apply force=true']);
  });

  it('takes away a field that our own POST set and that is not decided any more: an apply leaves it', async () => {
    const left = { ...desired.spec, egressDeny: [{ toCIDR: ['169.254.0.0/16'] }] };
    const world = script({ apply: () => stored({ spec: left }), mergePatch: () => stored() });
    world.cached.set(desired.metadata.name, stored({ spec: left }));
    expect(await run(world)).toMatchObject({ ok: true });
    expect(world.calls).toEqual(['apply force=true', 'patch {"egressDeny":null}']);
  });

  it('but not where more differs than that: the object goes', async () => {
    const other = { egress: [], egressDeny: [] };
    const world = script({ apply: () => stored({ spec: other }) });
    world.cached.set(desired.metadata.name, stored({ spec: other }));
    expect(await run(world)).toMatchObject({ ok: false, reason: 'ApplyRejected' });
    expect(world.calls).toEqual(['apply force=true', 'delete uid-output']);
  });

  it('does not force a field that somebody else holds when we change our mind', async () => {
    const conflict = { fieldConflicts: [{ manager: 'gitops', field: '.spec.egress', message: '' }] };
    const world = script({ apply: fails('FieldConflict', conflict) });
    world.cached.set(desired.metadata.name, withManager('gitops'));
    expect(await run(world)).toMatchObject({
      ok: false,
      reason: 'FieldConflict',
      message: expect.stringContaining('.spec.egress is held by gitops'),
    });
    expect(world.calls).toEqual(['apply force=false']);
  });

  it('restores by force what somebody else changed, and names them', async () => {
    const world = script({ apply: () => stored() });
    world.cached.set(desired.metadata.name, withManager('intruder'));
    const restored: Drift[] = [];
    const onRestored = (drift: Drift) => restored.push(drift);
    expect(await run(world, { judgeDrift: restore, onRestored })).toMatchObject({ ok: true });
    expect(restored).toEqual([{ manager: 'intruder', field: '.spec.egress' }]);
    expect(world.calls).toEqual(['apply force=true']);
  });

  it('says that it restored also when the server then stores something else', async () => {
    const other = () => stored({ spec: { egress: [] } });
    const world = script({ apply: other, create: other });
    world.cached.set(desired.metadata.name, withManager('intruder'));
    const restored: Drift[] = [];
    const onRestored = (drift: Drift) => restored.push(drift);
    expect(await run(world, { judgeDrift: restore, onRestored })).toMatchObject({ reason: 'ApplyRejected' });
    expect(restored).toHaveLength(1);
    // Made by nobody else: no drift, and nothing restored.
    world.cached.set(desired.metadata.name, withManager('agentplane-operator'));
    await run(world, { onRestored });
    expect(restored).toHaveLength(1);
  });

  it('leaves drift alone where there is an objection: nothing is written, and the objection is the answer', async () => {
    const world = script({});
    world.cached.set(desired.metadata.name, withManager('intruder'));
    const asked: Drift[] = [];
    const objection = { ok: false, reason: 'DriftAccepted', message: 'paused' } as const;
    const judgeDrift = (drift: Drift) => {
      asked.push(drift);
      return objection;
    };
    expect(await run(world, { judgeDrift })).toBe(objection);
    world.cached.clear();
    expect(await run(world, { judgeDrift, recordedUids: ['uid-output'] })).toBe(objection);
    expect(asked).toEqual([{ manager: 'intruder', field: '.spec.egress' }, {}]);
    expect(world.calls).toEqual([]);
  });

  it('asks about drift only: what is as decided, or was never there, is none', async () => {
    const world = script({ create: () => stored() });
    const judgeDrift = () => {
      throw new Error('nothing was changed by anybody');
    };
    expect(await run(world, { judgeDrift })).toMatchObject({ ok: true });
    expect(await run(world, { judgeDrift, recordedUids: ['uid-output'] })).toMatchObject({ ok: true });
    expect(world.calls).toEqual(['create']);
  });

  it('waits for an object that is being deleted', async () => {
    const world = script({});
    const live = stored();
    world.cached.set(desired.metadata.name, {
      ...live,
      metadata: { ...live.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    });
    expect(await run(world)).toMatchObject({ ok: false, reason: 'ApplyPending' });
    expect(world.calls).toEqual([]);
  });

  it('narrows an object that is being deleted and was widened: until it is gone it is in force', async () => {
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] };
    const live = withManager('intruder');
    const narrowed = stored({ metadata: { ...stored().metadata, ...going } });
    const world = script({ apply: () => narrowed });
    world.cached.set(desired.metadata.name, { ...live, metadata: { ...live.metadata, ...going } });
    const pending = { ok: false, reason: 'ApplyPending', message: expect.stringContaining('example.com/hold') };
    expect(await run(world, { judgeDrift: restore })).toMatchObject(pending);
    expect(await run(world, { judgeDrift: restore })).toMatchObject(pending);
    expect(world.calls).toEqual(['apply force=true']);
  });
});

describe('a failed call', () => {
  it.each([
    ['Forbidden', 'Forbidden'],
    ['RejectedByAdmission', 'RejectedByAdmission'],
    ['Invalid', 'ApplyRejected'],
    ['TooLarge', 'ApplyRejected'],
    ['Timeout', 'ApplyPending'],
    ['Server', 'ApplyPending'],
    ['Conflict', 'ApplyPending'],
    ['NotFound', 'ApplyPending'],
  ] as const)('%s is %s', async (reason, expected) => {
    expect(await run(script({ create: fails(reason) }))).toMatchObject({ ok: false, reason: expected });
  });

  it('of an operator that is stopping says nothing about the object', async () => {
    await expect(run(script({ create: fails('Aborted') }))).rejects.toThrow('refused');
  });
});
