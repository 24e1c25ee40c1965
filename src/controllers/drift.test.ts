import { describe, expect, it } from 'vitest';
import type { KubeObject, ManagedFieldsEntry } from '../kube/types.ts';
import { describeDrift, driftOf } from './drift.ts';
import { desired, stored } from './testing.ts';

const own: ManagedFieldsEntry = { manager: 'agentplane-operator', operation: 'Update', fieldsV1: { 'f:spec': {} } };
const label = 'agentplane.dev/policy';

function entry(manager: string, fieldsV1: ManagedFieldsEntry['fieldsV1'], rest: ManagedFieldsEntry = {}) {
  return { manager, operation: 'Update', time: '2030-01-01T00:00:00Z', ...rest, fieldsV1 } as ManagedFieldsEntry;
}

function live(overrides: Partial<KubeObject>, ...entries: readonly ManagedFieldsEntry[]): KubeObject {
  const object = stored(overrides);
  return { ...object, metadata: { ...object.metadata, managedFields: [own, ...entries] } };
}

const wide = { spec: { egress: [{ toEntities: ['world'] }] } };

describe('who did it', () => {
  it.each([
    ['holds the field', entry('intruder', { 'f:spec': { 'f:egress': {} } }), 'intruder'],
    ['holds all of the spec as one value', entry('intruder', { 'f:spec': {} }), 'intruder'],
    ['holds another field', entry('innocent', { 'f:spec': { 'f:description': {} } }), undefined],
    ['holds a label', entry('innocent', { 'f:metadata': { 'f:labels': { 'f:a': {} } } }), undefined],
    ['writes the status', entry('cilium', { 'f:spec': {} }, { subresource: 'status' }), undefined],
    ['says that it is us', entry('agentplane-operator', { 'f:spec': { 'f:egress': {} } }), undefined],
  ])('somebody who %s', (_, item, manager) => {
    expect(driftOf(desired, live(wide, item))).toEqual({
      ...(manager === undefined ? {} : { manager }),
      field: '.spec.egress',
    });
  });

  it('of two, the one who wrote last', () => {
    const first = entry('first', { 'f:spec': { 'f:egress': {} } });
    const last = entry('last', { 'f:spec': { 'f:egress': {} } }, { time: '2030-01-02T00:00:00Z' });
    expect(driftOf(desired, live(wide, last, first))?.manager).toBe('last');
    expect(driftOf(desired, live(wide, first, last))?.manager).toBe('last');
  });

  it('is told by a difference that has an author rather than by one that has none', () => {
    const intruder = entry('intruder', { 'f:spec': { 'f:ingress': {} } });
    expect(driftOf(desired, live({ spec: { ingress: [{}] } }, intruder))).toEqual({
      manager: 'intruder',
      field: '.spec.ingress',
    });
  });
});

describe('what was done', () => {
  const { labels, ...unlabelled } = stored().metadata;
  const { ownerReferences: _, ...unowned } = stored().metadata;
  it.each([
    ['nothing', live({}), undefined],
    [
      'labels and annotations of others',
      live({ metadata: { ...stored().metadata, labels: { ...labels, a: 'b' } } }),
      undefined,
    ],
    ['a label of ours taken away', live({ metadata: unlabelled }), '.metadata.labels.app.kubernetes.io/managed-by'],
    [
      'a label of ours changed',
      live({ metadata: { ...unlabelled, labels: { ...labels, [label]: 'x' } } }),
      `.metadata.labels.${label}`,
    ],
    ['the owner taken away', live({ metadata: unowned }), '.metadata.ownerReferences'],
    ['a second list of rules', live({ specs: [{}] }), '.specs'],
    ['the rules taken away', live({ spec: {} }), '.spec.egress'],
  ])('%s', (_name, object, field) => {
    expect(driftOf(desired, object)?.field).toBe(field);
  });

  it.each([
    [{ manager: 'm', field: '.spec' }, 'm changed .spec'],
    [{ field: '.spec' }, '.spec was taken away or changed, by whom is not recorded'],
    [{}, 'a generated object was taken away'],
  ])('%j in words', (drift, words) => {
    expect(describeDrift(drift)).toBe(words);
  });
});
