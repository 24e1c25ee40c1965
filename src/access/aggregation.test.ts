import { describe, expect, test } from 'vitest';
import { parseManifests } from '../manifests/parse.ts';
import { rolesWithoutReport } from './report.ts';
import { account, binding, GROUP, report, role, rule } from './testing.ts';

const collecting = (name: string, selectors: readonly unknown[], labels: object = {}) => ({
  ...role([rule(['create'], 'pods')], 'ClusterRole', { name, labels }),
  aggregationRule: { clusterRoleSelectors: selectors },
});
const part = (labels: object, resource = 'secrets') =>
  role([rule(['list'], resource)], 'ClusterRole', { name: `part-${resource}`, labels });
const mine = { matchLabels: { 'x.example/to-r': 'true' } };
const label = { 'x.example/to-r': 'true' };
const bound = binding([account], 'ClusterRole');
const ids = (objects: readonly object[]) => report([...objects, bound])[0]?.findings.map(({ id }) => id);

describe('a ClusterRole that collects by label', () => {
  test('grants what it selects among the manifests, and may grant more', () => {
    expect(ids([collecting('r', [mine]), part(label)])).toEqual(['RightsUnknown', 'SecretsListed']);
    expect(ids([collecting('r', [mine]), part(label, 'pods')])).toEqual(['RightsUnknown']);
  });

  test.each([
    ['another value', { 'x.example/to-r': 'false' }],
    ['another label', { 'x.example/to-s': 'true' }],
    ['none', {}],
    ['a value that is no text', { 'x.example/to-r': true }],
  ])('but nothing of a role with %s', (_, labels) => {
    expect(ids([collecting('r', [mine]), part(labels)])).toEqual(['RightsUnknown']);
  });

  test('selects by any of its selectors, and everything by an empty one', () => {
    const other = { matchLabels: { a: 'b' } };
    expect(ids([collecting('r', [other, mine]), part(label)])).toContain('SecretsListed');
    expect(ids([collecting('r', [{}]), part({})])).toContain('SecretsListed');
    expect(ids([collecting('r', [{ matchLabels: { ...label, a: 'b' } }]), part(label)])).toEqual(['RightsUnknown']);
    expect(ids([collecting('r', [{ matchLabels: 7 }]), part(label)])).toEqual(['RightsUnknown']);
  });

  test('has what another one has collected, also in a circle', () => {
    const other = { matchLabels: { 'x.example/to-s': 'true' } };
    const objects = [
      collecting('r', [other], label),
      collecting('s', [mine], { 'x.example/to-s': 'true' }),
      part(label),
    ];
    expect(ids(objects)).toEqual(['RightsUnknown', 'SecretsListed']);
  });

  test('its parts are not called unbound, and others are', () => {
    const unbound = (objects: readonly object[]) =>
      rolesWithoutReport(
        parseManifests('f', objects.map((object) => JSON.stringify(object)).join('\n---\n')).manifests,
        'default',
      );
    expect(unbound([collecting('r', [mine]), part(label), bound])).toEqual([]);
    expect(unbound([collecting('r', [mine]), part({}), bound])).toEqual(['ClusterRole part-secrets']);
    // Two that select each other, and are bound to nobody, tell of none.
    const circle = [collecting('r', [mine], label), collecting('s', [mine], label), part(label)];
    expect(unbound(circle)).toEqual(['ClusterRole r', 'ClusterRole s', 'ClusterRole part-secrets']);
    const intoView = { [`${GROUP}/aggregate-to-view`]: 'true' };
    expect(unbound([collecting('r', [mine], intoView), part(label)])).toEqual([]);
  });
});
