/** The commands as processes: exit codes, which stream says what, help, and input that is not as it should be. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { buildCli, type Cli } from '../../test/support/cli.ts';

const PROFILE =
  'apiVersion: agentplane.dev/v1alpha1\nkind: RuntimeProfile\nmetadata: {name: research}\nspec: {serviceAccountName: agent}\n';
const policy = (name: string, rest = '') =>
  `apiVersion: agentplane.dev/v1alpha1\nkind: EgressPolicy\nmetadata: {name: ${name}}\nspec:\n  profileRef: {name: research}\n${rest}`;
const CIDR_RULE = '  allow:\n  - name: corp\n    to: [{cidr: {block: 203.0.113.0/24}}]\n    ports: [{port: 443}]\n';
const NAME_RULE =
  '  dns: {access: ClusterResolver}\n  allow:\n  - name: api\n    to:\n    - domain: {name: api.example.com}\n    ports: [{port: 443}]\n';

// A process takes its time on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
  await file('profile.yaml', PROFILE);
  await file('cidr.yaml', policy('by-address', CIDR_RULE));
  await file('name.yaml', policy('by-name', NAME_RULE));
});
afterAll(() => cli.remove());

async function file(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(cli.folder, name)), { recursive: true });
  await writeFile(path.join(cli.folder, name), text);
}

const explain = (...args: readonly string[]) => cli.run(['explain', '--provider', 'networkpolicy', ...args]);

describe('agentplane', () => {
  test.each([[[]], [['--help']], [['help']]])('%j lists the commands', async (args) => {
    const { code, stdout, stderr } = await cli.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const name of ['explain', 'diff', 'status', 'rbac-report', 'operator', 'inventory', 'probe'])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  test('--version', async () => {
    expect((await cli.run(['--version'])).stdout).toMatch(/^agentplane \d+\.\d+\.\d+\n$/);
  });

  test.each(['explain', 'diff', 'status', 'rbac-report', 'operator', 'inventory', 'probe'])(
    '%s --help',
    async (name) => {
      const { code, stdout, stderr } = await cli.run([name, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: agentplane ${name}`);
    },
  );

  test.each([
    [['explian'], 'there is no command "explian": did you mean explain?'],
    [['explain', '--provder', 'x'], 'there is no flag --provder: did you mean --provider?'],
    [['explain', '--xyzzy'], 'there is no flag --xyzzy\n'],
    [['explain'], 'missing: --filename'],
    [['explain', '-f'], '--filename needs a value: FILE'],
    [['explain', '-f', '--provider', 'none'], '--filename needs a value: FILE'],
    [['explain', '-f', 'x', '-o', 'yml'], '--output: "yml" is none of table, yaml, json'],
    [['explain', '-f', 'profile.yaml', '--provider', 'cillium'], 'did you mean cilium?'],
    [['explain', '-f', 'profile.yaml', '--provider', 'cilium@new'], '"new" is not a version of three numbers'],
    [['explain', '-f', 'profile.yaml', '--provider', 'none@1.0.0'], 'leave out @1.0.0'],
    [['status', 'everything'], '"everything" belongs to no flag'],
    [['status', '-A', '-n', 'x'], '--namespace and --all-namespaces exclude each other'],
    [['constructor'], 'there is no command "constructor"'],
  ])('%j is refused with what would be right', async (args, message) => {
    const { code, stdout, stderr } = await cli.run(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test('a reader that stops reading is no error', async () => {
    const child = spawn(process.execPath, [path.join(REPOSITORY, 'src/main.ts'), 'explain', '--help']);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(stderr).toBe('');
  });
});

test('docs/cli.md shows what is really printed', async () => {
  const docs = await readFile(path.join(REPOSITORY, 'docs/cli.md'), 'utf8');
  const blocks = [...docs.matchAll(/^```console\n\$ agentplane (.*)\n([\s\S]*?)^```$/gm)];
  const offline = blocks.filter(([, command]) => /^(explain|rbac-report) /.test(command ?? ''));
  expect(offline).toHaveLength(2);
  for (const [, command = '', printed] of offline) {
    const { stdout } = await cli.run(command.split(' '), { cwd: REPOSITORY });
    expect(stdout, command).toBe(printed);
  }
});

describe('explain', () => {
  test('says what compiles, and ends with 0', async () => {
    const { code, stdout, stderr } = await explain('-f', 'profile.yaml', 'cidr.yaml');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^EgressPolicy default\/by-address +research +ok +NetworkPolicy$/m);
  });

  test('says what is refused with file, line, rule, capability and the way out, and ends with 2', async () => {
    const { code, stdout } = await explain('-f', '.', '-n', 'team-a');
    expect(code).toBe(2);
    expect(stdout).toContain('EgressPolicy team-a/by-name is refused:');
    expect(stdout).toContain(
      'name.yaml:10: UnsupportedProvider: rule api, destination 0: provider k8s-networkpolicy lacks domain.exact (NoDomainRules)',
    );
    expect(stdout).toMatch(/way out for .*domain\.exact.*Cilium/);
    expect(stdout).toMatch(/by-address .*ok/);
  });

  test('the same policy compiles where the provider can', async () => {
    const { code } = await cli.run(['explain', '-f', 'profile.yaml', '-f', 'name.yaml', '--provider', 'cilium@1.20.2']);
    expect(code).toBe(0);
  });

  test('a provider that is only assumed is named', async () => {
    const { code, stderr } = await cli.run(['explain', '-f', 'profile.yaml', '-f', 'name.yaml']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^judged for cilium \d+\.\d+\.\d+:/);
  });

  test('reads standard input, and skips what is not its business with one note', async () => {
    const other = (name: string) => `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\n`;
    const input = [PROFILE, policy('piped', CIDR_RULE), other('x'), other('y'), '# only a comment\n'].join('---\n');
    const { code, stdout, stderr } = await cli.run(['explain', '-f', '-', '--provider', 'networkpolicy'], { input });
    expect(code).toBe(0);
    expect(stdout).toContain('EgressPolicy default/piped');
    expect(stderr).toBe('skipped what is not an EgressPolicy or RuntimeProfile: 2 Service\n');
  });

  test('a policy without its profile among the input is told so', async () => {
    const { code, stdout } = await explain('-f', 'cidr.yaml');
    expect(code).toBe(2);
    expect(stdout).toContain(
      'cidr.yaml:5: DependencyMissing: spec.profileRef.name: RuntimeProfile research does not exist',
    );
  });

  test('yaml is the objects alone, refusals go to standard error', async () => {
    const { code, stdout, stderr } = await explain('-f', 'profile.yaml', 'cidr.yaml', 'name.yaml', '-o', 'yaml');
    expect(code).toBe(2);
    expect(stdout.match(/^kind: .*$/gm)).toEqual(['kind: NetworkPolicy']);
    expect(stdout).not.toContain('UnsupportedProvider');
    expect(stderr).toContain('UnsupportedProvider');
  });

  test('colour is for terminals only, and escapes in names do not reach one', async () => {
    await file('escape.yaml', `${PROFILE.replace('research', '"re\\e[31m"')}`);
    const { code, stdout } = await explain('-f', 'escape.yaml');
    expect(code).toBe(2);
    expect(stdout).toContain('re\\u{1b}[31m');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('rbac-report', () => {
  const bound = (verbs: string, resource: string) =>
    [
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: a}\n' +
        `rules: [{apiGroups: [""], resources: [${resource}], verbs: [${verbs}]}]\n`,
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b, namespace: a}\n' +
        'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\nsubjects: [{kind: ServiceAccount, name: sa}]\n',
    ].join('---\n');

  test('of what the charts of AgentPlane render, nothing is dangerous', async () => {
    const files = ['operator', 'inventory'].map((name) => path.join(REPOSITORY, `rbac/agentplane-${name}.yaml`));
    const { code, stdout, stderr } = await cli.run(['rbac-report', '-f', ...files]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('ServiceAccount agentplane-system/agentplane-operator');
  });

  test.each([
    ['list', 'secrets', 2, '! High: SecretsListed in a: list secrets:'],
    ['list', 'configmaps', 0, 'a          configmaps  list'],
  ])('%s %s from standard input ends with %i', async (verb, resource, code, text) => {
    const found = await cli.run(['rbac-report', '-f', '-'], { input: bound(verb, resource) });
    expect(found).toMatchObject({ code, stderr: '', stdout: expect.stringContaining(text) });
  });

  test('a role that nothing binds is named, for it is in no report', async () => {
    const input = `${bound('get', 'configmaps')}---\n${bound('list', 'secrets').split('---\n')[0]?.replace('name: r,', 'name: alone,')}`;
    expect(await cli.run(['rbac-report', '-f', '-'], { input })).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('alone'),
      stderr: 'not judged, since nothing among the manifests binds it: Role a/alone\n',
    });
  });

  test('in each format', async () => {
    const run = (format: string) =>
      cli.run(['rbac-report', '-f', '-', '-o', format], { input: bound('list', 'secrets') });
    expect((await run('markdown')).stdout).toContain('- **High**: SecretsListed');
    const { identities } = JSON.parse((await run('json')).stdout) as { identities: readonly object[] };
    expect(identities).toMatchObject([{ name: 'sa', findings: [{ id: 'SecretsListed' }] }]);
    expect(JSON.parse((await run('sarif')).stdout)).toMatchObject({
      runs: [{ results: [{ ruleId: 'SecretsListed', level: 'error' }] }],
    });
  });

  test.each([
    ['secrets', 'list', 'High', 2],
    ['pods', 'create', 'High', 0],
    ['pods', 'create', 'Medium', 2],
    ['secrets', 'list', 'never', 0],
  ])('%s %s with --fail-on %s: %i', async (resource, verb, threshold, code) => {
    const input = bound(verb, resource);
    expect((await cli.run(['rbac-report', '-f', '-', '--fail-on', threshold], { input })).code).toBe(code);
  });

  test.each([
    ['neither files nor a cluster', []],
    ['both', ['--live', '-f', '-']],
  ])('of %s there is none, and it is said what to name', async (_, args) => {
    expect(await cli.run(['rbac-report', ...args], { input: bound('get', 'pods') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('name files with --filename, or the cluster with --live'),
    });
  });

  test('the same Role twice is no harmless one', async () => {
    const input = `${bound('get', 'configmaps')}---\n${bound('list', 'secrets').split('---\n')[0]}`;
    expect(await cli.run(['rbac-report', '-f', '-'], { input })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('standard input:12: Role a/r is also in standard input:1: remove one of them'),
    });
  });

  test('of files that grant nothing there is no report', async () => {
    expect(await cli.run(['rbac-report', '-f', 'profile.yaml'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('holds no ServiceAccount and no binding of a role'),
    });
  });
});

describe('a cluster that cannot be asked', () => {
  test.each(['status', 'diff'])('%s without a kubeconfig', async (command) => {
    const files = command === 'diff' ? ['-f', 'profile.yaml'] : [];
    const { code, stdout, stderr } = await cli.run([command, ...files], { env: { HOME: cli.folder } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('agentplane: there is no kubeconfig: set KUBECONFIG, or give --kubeconfig\n');
  });

  test('a kubeconfig that cannot be parsed is not quoted: it holds credentials', async () => {
    await file('broken/config', 'users:\n- name: me\n  user: {token: hunter2\n');
    const { code, stderr } = await cli.run(['status', '--kubeconfig', 'broken/config']);
    expect(code).toBe(1);
    expect(stderr).toBe('agentplane: the kubeconfig cannot be read: it is no kubeconfig\n');
  });

  test('nobody answers', async () => {
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const users = [{ name: 'u', user: { token: 'hunter2' } }];
    const config = { clusters: [cluster], contexts: [context], users, 'current-context': 'x' };
    await file('away/config', JSON.stringify(config));
    const { code, stdout, stderr } = await cli.run(['status', '--kubeconfig', 'away/config']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).not.toContain('hunter2');
  });
});
