import { describe, expect, test } from 'vitest';
import { parseManifests } from '../manifests/parse.ts';
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { DANGEROUS_PATHS } from './dangerous-path.ts';
import { accessReport } from './report.ts';
import { renderAccessSarif } from './sarif.ts';
import { account, binding, report, role, rule } from './testing.ts';

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly locations: readonly {
        readonly physicalLocation?: { readonly artifactLocation: { readonly uri: string } };
        readonly logicalLocations: readonly object[];
      }[];
    }[];
  }[];
}

const sarif = (objects: readonly object[]): Sarif => JSON.parse(renderAccessSarif(report(objects), '9.9.9')) as Sarif;

describe('SARIF', () => {
  test('has one rule for each danger, and a result that points at the rule and at the line of the role', () => {
    const [run] = sarif([binding([account]), role([rule(['list'], 'secrets'), rule(['create'], 'pods')])]).runs;
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual([
      ...DANGEROUS_RIGHTS.map(({ id }) => id),
      ...DANGEROUS_PATHS.map(({ id }) => id),
      'Wildcard',
      'BroadSubject',
      'ClusterWide',
      'RightsUnknown',
    ]);
    expect(run?.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['SecretsListed', 'error'],
      ['WorkloadsWritten', 'warning'],
    ]);
    for (const { ruleId, ruleIndex } of run?.results ?? []) expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(run?.results[0]?.message.text).toMatch(/^ServiceAccount x\/sa, in namespace a: list secrets: /);
    // The binding is one line, and a line parts the two.
    expect(run?.results[0]?.locations).toMatchObject([
      { physicalLocation: { artifactLocation: { uri: 'f' }, region: { startLine: 3 } } },
    ]);
  });

  test('has no link and no placeholder that a name says', () => {
    const [run] = sarif([
      role([rule(['list'], 'secrets')]),
      binding([{ ...account, name: '[x](http://a) \\ {0}' }]),
    ]).runs;
    expect(run?.results[0]?.message.text).toMatch(/^ServiceAccount x\/\\\[x\\\]\(http:\/\/a\) \\\\ \{\{0\}\}, in/);
  });

  test.each([
    ['a wildcard', [role([rule(['*'], 'pods')]), binding([account])], 'Wildcard'],
    [
      'a broad subject',
      [role([rule(['get'], 'pods')]), binding([{ kind: 'Group', name: 'system:masters' }])],
      'BroadSubject',
    ],
    ['a role that is not there', [binding([account])], 'RightsUnknown'],
    [
      'a binding of the whole cluster',
      [role([rule(['get'], 'pods')], 'ClusterRole'), binding([account], 'ClusterRole', 'ClusterRoleBinding')],
      'ClusterWide',
    ],
  ])('knows the rule of %s', (_, objects, id) => {
    const [run] = sarif(objects).runs;
    expect(run?.results.map(({ ruleId }) => ruleId)).toEqual([id]);
    expect(run?.tool.driver.rules[run.results[0]?.ruleIndex ?? -1]?.id).toBe(id);
  });

  test.each(['roles/a.yaml', '/x/a b.yaml', 'what?#now.yaml', 'https:not.yaml', '50%41.yaml', '[é].yaml'])(
    'leads to the file %s',
    (file) => {
      const objects = [role([rule(['list'], 'secrets')]), binding([account])];
      const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
      const log = renderAccessSarif(accessReport(parseManifests(file, text).manifests, 'default'), '9.9.9');
      const [location] = (JSON.parse(log) as Sarif).runs[0]?.results[0]?.locations ?? [];
      const { pathname, search, hash } = new URL(location?.physicalLocation?.artifactLocation.uri ?? '', 'file:///x/');
      expect(decodeURIComponent(pathname)).toBe(file.startsWith('/') ? file : `/x/${file}`);
      expect([search, hash]).toEqual(['', '']);
    },
  );

  test('of nothing dangerous has no result', () => {
    expect(sarif([role([rule(['get'], 'pods')]), binding([account])]).runs[0]?.results).toEqual([]);
  });
});
