/** Input that is not as it should be: each is told with file and line, and nothing is judged. */
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildCli, type Cli } from '../../test/support/cli.ts';

const PROFILE =
  'apiVersion: agentplane.dev/v1alpha1\nkind: RuntimeProfile\nmetadata: {name: research}\nspec: {serviceAccountName: agent}\n';

// A process takes its time on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

let cli: Cli;
beforeAll(async () => {
  cli = await buildCli();
  await file('profile.yaml', PROFILE);
});
afterAll(() => cli.remove());

async function file(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(cli.folder, name)), { recursive: true });
  await writeFile(path.join(cli.folder, name), text);
}

const explain = (...args: readonly string[]) => cli.run(['explain', '--provider', 'networkpolicy', ...args]);

describe('input that cannot be used ends with 1, and says where and why', () => {
  test.each([
    ['missing.yaml', undefined, 'missing.yaml: does not exist'],
    ['syntax.yaml', `${PROFILE}---\na: [1\n`, 'syntax.yaml:7: '],
    ['binary.yaml', '\u0000\u0001', 'binary.yaml: is not text in UTF-8'],
    ['number.yaml', '42\n', 'number.yaml:1: this is no Kubernetes object'],
    ['anonymous.yaml', 'kind: EgressPolicy\n', 'it has no apiVersion, no metadata.name'],
    ['typo.yaml', PROFILE.replace('RuntimeProfile', 'RuntimeProfil'), 'typo.yaml:1: there is no kind RuntimeProfil'],
    ['version.yaml', PROFILE.replace('v1alpha1', 'v2'), 'use agentplane.dev/v1alpha1'],
    ['keys.yaml', `${PROFILE}kind: EgressPolicy\n`, 'keys.yaml:5: Map keys must be unique'],
    ['bomb.yaml', bomb(), 'bomb.yaml:1: Excessive alias count'],
    ['deep.yaml', '['.repeat(20_000), 'deep.yaml'],
    ['json.json', '{"kind": 1,}{', 'json.json:1: '],
    ['foreign.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n', 'holds no EgressPolicy and no RuntimeProfile'],
  ])('%s', async (name, text, message) => {
    if (text !== undefined) await file(`bad-${name}/${name}`, text);
    const { code, stdout, stderr } = await explain('-f', text === undefined ? name : `bad-${name}/${name}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test('every unusable input is told, and nothing is judged', async () => {
    const { code, stdout, stderr } = await explain('-f', 'profile.yaml', 'nope.yaml', 'neither.yaml');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('nope.yaml: does not exist\nneither.yaml: does not exist');
  });

  test('a folder without manifests', async () => {
    await file('empty/readme.txt', 'nothing');
    expect(await explain('-f', 'empty')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('holds no file that ends in'),
    });
  });

  test('the same object twice, in two files', async () => {
    await file('twice/a.yaml', PROFILE);
    await file('twice/deeper/b.yml', PROFILE);
    const { code, stderr } = await explain('-f', 'twice');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'twice/deeper/b.yml:1: RuntimeProfile default/research is also in twice/a.yaml:1: remove one of them',
    );
  });

  test('the same file named twice is read once', async () => {
    expect((await explain('-f', 'profile.yaml', './profile.yaml')).code).toBe(0);
  });

  test('a huge file is not read to its end', async () => {
    await file('huge/x.yaml', '');
    await truncate(path.join(cli.folder, 'huge/x.yaml'), 3 * 1024 ** 3);
    expect(await explain('-f', 'huge')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is larger than 32 MiB'),
    });
  });
});

/** Documents that grow a thousandfold with each line. */
function bomb(): string {
  const list = (name: string) => `[${Array.from({ length: 100 }, () => `*${name}`).join(', ')}]`;
  return `a: &a [x]\nb: &b ${list('a')}\nc: &c ${list('b')}\nd: ${list('c')}\n`;
}
