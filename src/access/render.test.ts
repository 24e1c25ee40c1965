import { describe, expect, test } from 'vitest';
import { renderAccessJson, renderAccessMarkdown, renderAccessTable } from './render.ts';
import { account, binding, of, report, role, rule } from './testing.ts';

const plain = { title: (text: string) => text, bad: (text: string) => text };

describe('rendering', () => {
  const hostile = report([role([rule(['get'], 'po\u001b[31md|s')]), binding([{ ...account, name: 's\u001ba' }])]);

  test('nothing steers the terminal or breaks the table', () => {
    expect(renderAccessTable(hostile, plain)).toContain('ServiceAccount x/s\\u{1b}a');
    expect(renderAccessMarkdown(hostile)).toContain('| `po\\u{1b}[31md\\|s` |');
  });

  test('nothing that a name says is Markdown', () => {
    const name = '[x](https://example.com) *a* `c` <img src=x> @team | $d$';
    const text = renderAccessMarkdown(
      report([
        role([rule(['get'], name)]),
        binding([
          { kind: 'User', name },
          { ...account, name },
        ]),
      ]),
    );
    const shown = name.replaceAll('|', '\\|');
    expect(text).toContain(`## \`\`User ${name}\`\``);
    expect(text).toContain(`| \`\`${shown}\`\` |`);
    expect(text).toContain(`- **High**: \`\`Wildcard in a: get ${name}: `);
  });

  test('JSON says null for everywhere and for no reason', () => {
    const objects = [
      role([rule(['get'], 'pods')], 'ClusterRole'),
      binding([account], 'ClusterRole', 'ClusterRoleBinding'),
    ];
    expect(JSON.parse(renderAccessJson(report(objects)))).toMatchObject({
      identities: [{ namespace: 'x', access: [{ namespace: null, why: null }], findings: [{ namespace: null }] }],
    });
  });

  test('one line for one danger in one place, the worst first', () => {
    const rules = [rule(['create'], 'pods'), of('apps', ['create'], 'deployments'), rule(['list'], 'secrets')];
    const lines = renderAccessTable(report([role(rules), binding([account])]), plain).split('\n');
    expect(lines.filter((line) => line.startsWith('!'))).toEqual([
      expect.stringMatching(/^! High: SecretsListed in a: list secrets: /),
      expect.stringMatching(/^! Medium: WorkloadsWritten in a: create pods; create deployments: /),
    ]);
  });
});
