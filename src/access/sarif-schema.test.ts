/** What is written is SARIF by the schema of the standard, for each danger, each subject and each place that a finding can have. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseManifests } from '../manifests/parse.ts';
import { DANGEROUS_RIGHTS } from './catalogue.ts';
import { accessReport } from './report.ts';
import { renderAccessSarif } from './sarif.ts';
import { account, binding, role, rule } from './testing.ts';

/** Of this package only the schema is read: that of the standard as it was approved, 2.1.0-rtm.5. */
const SCHEMA_PACKAGE = '@microsoft/jest-sarif';
const require = createRequire(import.meta.url);
let validate: ValidateFunction;

describe('the schema of SARIF 2.1.0', () => {
  beforeAll(async () => {
    const file = require.resolve(`${SCHEMA_PACKAGE}/lib/schemas/sarif-2.1.0-rtm.5.json`);
    // Written for draft 4. What it uses of that means the same to a later one, but for the name of the identifier.
    const { $schema: _, id: __, ...schema } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    // What is fine by the schema may be odd by the validator: that is about the schema.
    const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
    (formats as unknown as (ajv: Ajv) => void)(ajv);
    validate = ajv.compile(schema);
  });

  /** What the schema says against the report of objects that are found in the file. */
  function errorsOf(objects: readonly object[], file = 'f'): readonly string[] {
    const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const identities = accessReport(parseManifests(file, text).manifests, 'default');
    expect(identities.flatMap(({ findings }) => findings)).not.toEqual([]);
    return errorsIn(JSON.parse(renderAccessSarif(identities, '9.9.9')));
  }

  function errorsIn(log: unknown): readonly string[] {
    validate(log);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  const everything = DANGEROUS_RIGHTS.map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs }));
  const user = { kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.k8s.io' };

  test.each([
    ['of every danger', [role(everything), binding([account, user])]],
    [
      'of the whole cluster',
      [role(everything, 'ClusterRole'), binding([account], 'ClusterRole', 'ClusterRoleBinding')],
    ],
    ['of a wildcard', [role([rule(['*'], '*')]), binding([account])]],
    ['of a role that is not there', [binding([account])]],
    ['of text that is none', [role([rule(['list', '\u001b[31m\ud800'], 'secrets')]), binding([account])]],
  ])('takes a report %s', (_, objects) => {
    expect(errorsOf(objects)).toEqual([]);
  });

  test('takes a report of nothing', () => {
    expect(errorsIn(JSON.parse(renderAccessSarif([], '9.9.9')))).toEqual([]);
  });

  test.each(['a b/[c].yaml', '/é/%41?x#y.yaml', 'https:not.yaml', '../{a}|b^`.yaml', ''])(
    'takes the file %j',
    (file) => {
      expect(errorsOf([role([rule(['list'], 'secrets')]), binding([account])], file)).toEqual([]);
    },
  );

  test('sees what is wrong', () => {
    const log = (result: object) => ({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'x' } }, results: [{ message: { text: 'x' }, ...result }] }],
    });
    expect(errorsIn(log({}))).toEqual([]);
    expect(errorsIn(log({ severity: 'error' }))).toEqual(['/runs/0/results/0 must NOT have additional properties']);
    expect(errorsIn(log({ level: 'High' }))).not.toEqual([]);
    const at = (uri: string) => log({ locations: [{ physicalLocation: { artifactLocation: { uri } } }] });
    expect(errorsIn(at('a%20b'))).toEqual([]);
    expect(errorsIn(at('a b'))).not.toEqual([]);
    expect(errorsIn({ ...log({}), version: '2.0.0' })).not.toEqual([]);
  });
});
