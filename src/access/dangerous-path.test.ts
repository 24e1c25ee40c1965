import { describe, expect, test } from 'vitest';
import { account, binding, report, role } from './testing.ts';

const identityOf = (path: string, verb = 'get') => {
  const rules = [{ verbs: [verb], nonResourceURLs: [path] }];
  return report([role(rules, 'ClusterRole'), binding([account], 'ClusterRole', 'ClusterRoleBinding')])[0];
};
const ids = (path: string, verb?: string) => identityOf(path, verb)?.findings.map(({ id }) => id);

describe('a path of the API server', () => {
  test.each([
    ['/logs', 'get'],
    ['/logs/kube-apiserver.log', 'get'],
    ['/debug/pprof/heap', 'get'],
    ['/debug/flags/v', 'put'],
    ['/debug/pprof/profile', 'patch'],
    ['/debug/pprof/heap', 'delete'],
  ])('%s (%s) is a finding', (path, verb) => {
    expect(ids(path, verb)).toEqual(['ClusterWide', 'ServerInspected']);
    expect(identityOf(path, verb)?.lacks).not.toContain('ServerInspected');
  });

  test.each([
    ['/metrics', 'get'],
    ['/debugger', 'get'],
  ])('%s (%s) is none', (path, verb) => {
    expect(ids(path, verb)).toEqual(['ClusterWide']);
    expect(identityOf(path, verb)?.lacks).toContain('ServerInspected');
  });

  test.each(['/debug/*', '/logs*', '/*', '/de*', '/debug/pprof/*', '/logs**'])(
    '%s is a wildcard, and reaches one',
    (path) => {
      expect(ids(path)).toEqual(['ClusterWide', 'Wildcard']);
      expect(identityOf(path)?.lacks).not.toContain('ServerInspected');
    },
  );

  test.each(['/api/*', '/logsx*'])('%s reaches none', (path) => {
    expect(identityOf(path)?.lacks).toContain('ServerInspected');
  });
});

test('a RoleBinding grants no path', () => {
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/logs'] }];
  const [identity] = report([role(rules, 'ClusterRole'), binding([account], 'ClusterRole')]);
  expect(identity?.findings).toEqual([]);
  expect(identity?.lacks).toContain('ServerInspected');
});
