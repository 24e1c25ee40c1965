import { describe, expect, test } from 'vitest';
import { duplicates } from './duplicates.ts';
import { parseFieldPath } from './manifest.ts';
import { parseManifests } from './parse.ts';

const policy = (name: string) => `kind: EgressPolicy
apiVersion: agentplane.dev/v1alpha1
metadata: {name: ${name}}
spec:
  allow:
    - name: a
      to:
        - cidr: {block: 203.0.113.0/24}
        - domain:
            name: api.example.com
`;

describe('documents', () => {
  test('several, with comments and emptiness between them', () => {
    const { manifests, problems } = parseManifests(
      'f',
      `# c\n---\n${policy('a')}---\n---\n# d\n---\n${policy('b')}...\n`,
    );
    expect(problems).toEqual([]);
    expect(manifests.map(({ object }) => object.metadata.name)).toEqual(['a', 'b']);
    expect(manifests.map(({ source }) => source.line())).toEqual([3, 17]);
  });

  test('a list is its items', () => {
    const items = [1, 2].map((i) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}` } }));
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, '\t');
    const { manifests } = parseManifests('f', text);
    expect(manifests.map(({ object }) => object.metadata.name)).toEqual(['p1', 'p2']);
    expect(manifests[1]?.source.line(['metadata', 'name'])).toBe(16);
  });

  test('after the end of one, the next is refused without a separator: kubectl would not read it', () => {
    const { problems } = parseManifests('f', `${policy('a')}...\n${policy('b')}`);
    expect(problems).toEqual([
      { file: 'f', line: 12, message: 'kubectl reads no document without `---` before it: add one' },
    ]);
    expect(parseManifests('f', `${policy('a')}...\n---\n${policy('b')}...\n# c\n`)).toMatchObject({
      manifests: [{}, {}],
      problems: [],
    });
  });

  test('an alias is what it stands for', () => {
    const { manifests } = parseManifests('f', 'metadata: &x {name: a}\nkind: Pod\napiVersion: v1\nspec: *x\n');
    expect(manifests[0]?.object).toMatchObject({ spec: { name: 'a' } });
  });

  test('a key that is special to JavaScript is a key', () => {
    const { manifests } = parseManifests('f', `${policy('a')}__proto__: {polluted: true}\n`);
    expect(Object.hasOwn(manifests[0]?.object ?? {}, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('to kubectl and Helm, whatever has items is a list', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  const read = (value: object) => parseManifests('f', JSON.stringify(value, undefined, 1));

  test.each([
    ['of any kind', { apiVersion: 'v1', kind: 'ConfigMap', items: [pod] }, 1],
    ['of none', { items: [pod] }, 1],
    ['in a list', { kind: 'List', items: [{ kind: 'ConfigMap', items: [pod] }, pod] }, 2],
    ['that is empty', { apiVersion: 'v1', kind: 'PodList', items: [] }, 0],
    ['that has a name', { apiVersion: 'v1', kind: 'PodList', metadata: { name: 'a' }, items: [pod] }, 1],
  ])('%s', (_, value, count) => {
    expect(read(value)).toEqual({
      manifests: Array.from({ length: count }, () => expect.objectContaining({ object: pod })),
      problems: [],
    });
  });

  test.each([
    ['objects', [pod]],
    ['texts', ['a']],
    ['nothing', []],
    ['null', null],
    ['a mapping', { a: [pod] }],
  ])('an object beside %s is refused: to others it is no list', (_, items) => {
    const message =
      'to kubectl and Helm, whatever has `items` is a list of them, and no Pod: use `kind: List`, or remove `items`';
    expect(read({ ...pod, items })).toEqual({ manifests: [], problems: [{ file: 'f', line: 7, message }] });
    expect(read({ ...pod, spec: { items } })).toMatchObject({ manifests: [{}], problems: [] });
  });

  test.each([[['a']], [[null]]])('what is no object is refused: %j', (items) => {
    expect(read({ kind: 'List', items }).problems).toEqual([
      { file: 'f', line: 4, message: 'this is no Kubernetes object: it has no fields' },
    ]);
  });
});

describe('what the parser complains of is refused, with its twin', () => {
  test.each([
    ['an error', `${policy('a')}x: [\n`, `${policy('a')}x: []\n`],
    ['a warning', `%FOO bar\n---\n${policy('a')}`, `%YAML 1.2\n---\n${policy('a')}`],
    ['a tag that it does not apply', `${policy('a')}x: !!null y\n`, `${policy('a')}x: !!null null\n`],
    ['a text without a document', '%TAG x\n', '# nothing\n'],
  ])('%s', (_, text, twin) => {
    expect(parseManifests('f', text)).toMatchObject({
      manifests: [],
      problems: [{ file: 'f', line: expect.any(Number) }],
    });
    expect(parseManifests('f', twin).problems).toEqual([]);
  });
});

describe('the line of a field', () => {
  const [manifest] = parseManifests('f', policy('a')).manifests;
  test.each([
    ['spec.allow[0].to[0]', 8],
    ['spec.allow[0].to[1].domain.name', 10],
    ['spec.allow[0].ports', 6],
    ['spec.profileRef.name', 5],
    ['metadata.name', 3],
    ['nothing.of.this', 1],
  ])('%s', (path, line) => {
    expect(manifest?.source.line(parseFieldPath(path))).toBe(line);
  });
});

describe('an object whose name the API server makes', () => {
  const generated = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'run-' } };
  const read = (...objects: readonly object[]) =>
    parseManifests('f', objects.map((object) => JSON.stringify(object)).join('\n---\n'));

  test('is named by what is known of it, which is no name of another', () => {
    expect(read(generated)).toMatchObject({
      manifests: [{ object: { metadata: { name: 'run-%', generateName: 'run-' } }, isGenerated: true }],
      problems: [],
    });
  });

  test('is there as often as it is given', () => {
    const { manifests } = read(generated, generated);
    expect(duplicates(manifests, 'default')).toEqual([]);
  });

  test('has the name that it says, if it says one', () => {
    const named = { ...generated, metadata: { name: 'a', generateName: 'run-' } };
    expect(read(named).manifests).toMatchObject([{ object: { metadata: { name: 'a' } } }]);
    expect(read(named).manifests[0]?.isGenerated).toBeUndefined();
  });

  test('needs a beginning of one', () => {
    const nameless = { ...generated, metadata: { generateName: '' } };
    expect(read(nameless).problems).toMatchObject([{ message: expect.stringContaining('no metadata.name') }]);
  });
});
