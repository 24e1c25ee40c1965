import { describe, expect, test } from 'vitest';
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

  test('merged and aliased keys are read as kubectl reads them', () => {
    const { manifests } = parseManifests('f', 'x: &x {kind: Pod, apiVersion: v1}\n<<: *x\nmetadata: {name: a}\n');
    expect(manifests[0]?.object).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
  });

  test('a key that is special to JavaScript is a key', () => {
    const { manifests } = parseManifests('f', `${policy('a')}__proto__: {polluted: true}\n`);
    expect(Object.hasOwn(manifests[0]?.object ?? {}, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
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
