import { describe, expect, test } from 'vitest';
import { duplicates } from './duplicates.ts';
import { parseManifests } from './parse.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const object = (kind: string, metadata: object = {}, apiVersion = RBAC) => ({
  apiVersion,
  kind,
  metadata: { name: 'r', ...metadata },
});

function found(objects: readonly object[]) {
  const text = objects.map((item) => JSON.stringify(item)).join('\n---\n');
  return duplicates(parseManifests('f', text).manifests, 'home');
}

describe('the same object twice', () => {
  test('is told at the second, with the place of the first', () => {
    const message = 'Role home/r is also in f:1: remove one of them';
    expect(found([object('Role'), object('Role')])).toEqual([{ file: 'f', line: 3, message }]);
  });

  test.each([
    ['one spells out the namespace', object('Role'), object('Role', { namespace: 'home' })],
    ['one has an empty namespace', object('Role', { namespace: '' }), object('Role')],
    [
      'one has an empty namespace, the other spells it out',
      object('Role', { namespace: 'home' }),
      object('Role', { namespace: '' }),
    ],
    ['two versions of one group', object('Role'), object('Role', {}, 'rbac.authorization.k8s.io/v1beta1')],
    ['a kind that has no namespace', object('ClusterRole'), object('ClusterRole', { namespace: 'a' })],
    ['another kind, which no command judges', object('Pod', {}, 'v1'), object('Pod', {}, 'v1')],
  ])('%s', (_, first, second) => {
    expect(found([first, second])).toHaveLength(1);
  });

  test.each([
    ['two names', object('Role'), object('Role', { name: 's' })],
    ['two namespaces', object('Role'), object('Role', { namespace: 'a' })],
    ['an empty namespace and another', object('Role', { namespace: '' }), object('Role', { namespace: 'a' })],
    ['two kinds', object('Role'), object('RoleBinding')],
    ['two groups', object('NetworkPolicy'), object('NetworkPolicy', {}, 'networking.k8s.io/v1')],
    ['the core group and another', object('Event', {}, 'v1'), object('Event', {}, 'events.k8s.io/v1')],
  ])('but not %s', (_, first, second) => {
    expect(found([first, second])).toEqual([]);
  });
});
