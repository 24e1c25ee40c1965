import type { SchemaCase } from './schema-case.ts';

const valid = {
  profileRef: { name: 'research' },
  secretRef: { name: 'model-key' },
  keys: ['token'],
  exposure: 'AgentReadable',
};

export const secretBindingCases: readonly SchemaCase[] = [
  { name: 'the smallest binding', spec: valid },
  { name: 'a binding for a proxy', spec: { ...valid, exposure: 'ProxyOnly' } },
  { name: 'every character of a key', spec: { ...valid, keys: ['A.b-c_9'] } },
  { name: '32 keys', spec: { ...valid, keys: Array.from({ length: 32 }, (_, i) => `k${i}`) } },
  { name: '33 keys', spec: { ...valid, keys: Array.from({ length: 33 }, (_, i) => `k${i}`) }, refused: /keys/ },
  { name: 'no keys', spec: { ...valid, keys: [] }, refused: /keys/ },
  { name: 'keys left out', spec: { ...valid, keys: undefined }, refused: /keys/ },
  { name: 'a key twice', spec: { ...valid, keys: ['a', 'a'] }, refused: /keys.*(unique|[Dd]uplicate)/s },
  { name: 'a key that is a path', spec: { ...valid, keys: ['../token'] }, refused: /keys/ },
  { name: 'exposure left out', spec: { ...valid, exposure: undefined }, refused: /exposure/ },
  { name: 'an exposure that does not exist', spec: { ...valid, exposure: 'Everyone' }, refused: /exposure/ },
  { name: 'no profile', spec: { ...valid, profileRef: undefined }, refused: /profileRef/ },
  { name: 'no Secret', spec: { ...valid, secretRef: undefined }, refused: /secretRef/ },
  {
    name: 'a Secret of another namespace',
    spec: { ...valid, secretRef: { name: 'model-key', namespace: 'other' } },
    refused: /namespace/,
  },
  {
    name: 'a Secret named by a path',
    spec: { ...valid, secretRef: { name: 'other/model-key' } },
    refused: /secretRef/,
  },
  { name: 'an unknown field', spec: { ...valid, value: 'x' }, refused: /value/ },
  { name: 'an id set later', before: valid, spec: { ...valid, id: 'model-key' } },
  {
    name: 'an id changed',
    before: { ...valid, id: 'a' },
    spec: { ...valid, id: 'b' },
    refused: /spec.id is immutable/,
  },
  { name: 'another Secret', before: valid, spec: { ...valid, secretRef: { name: 'other' } } },
];
