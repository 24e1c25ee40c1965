import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EgressPolicy } from '../../src/api/egress-policy.ts';
import { parseSpec } from '../../src/api/kind.ts';
import { KINDS } from '../../src/api/kinds.ts';
import { validateSpec } from '../../src/compile/validate.ts';
import { REPOSITORY } from '../lib/repository.ts';
import { EXAMPLES, OTHER_EXAMPLES } from './examples.ts';

interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: unknown;
}

const folder = path.join(REPOSITORY, 'examples');
const files = await readdir(folder);

describe('the examples', () => {
  it('are those that the demo applies, or a test of their kind', () => {
    expect([...files].sort()).toEqual([...Object.values(EXAMPLES), ...OTHER_EXAMPLES].sort());
  });

  it.each(files)('%s is valid', async (file) => {
    const { kind, spec } = parse(await readFile(path.join(folder, file), 'utf8')) as Example;
    const schema = KINDS.find((each) => each.kind === kind)?.spec;
    if (schema === undefined) throw new Error(`there is no kind ${kind} with a spec`);
    expect(parseSpec({ spec: schema }, spec)).toMatchObject({ ok: true });
    if (kind !== EgressPolicy.kind) return;
    const parsed = parseSpec(EgressPolicy, spec);
    expect(parsed).toMatchObject({ ok: true });
    const limits = { allowAnyDestination: false, clusterDomain: 'cluster.local' };
    if (parsed.ok) expect(validateSpec(parsed.value, limits)).toEqual([]);
  });
});
