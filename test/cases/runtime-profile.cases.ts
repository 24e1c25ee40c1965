import type { SchemaCase } from './schema-case.ts';

const valid = { serviceAccountName: 'research-agent' };

export const runtimeProfileCases: readonly SchemaCase[] = [
  { name: 'the smallest profile', spec: valid },
  { name: 'a profile with an id', spec: { ...valid, id: 'research' } },
  { name: 'a name of 63 characters', metadataName: 'p'.repeat(63), spec: valid },
  { name: 'a name of 64 characters', metadataName: 'p'.repeat(64), spec: valid, refused: /at most 63 characters/ },
  { name: 'no service account', spec: {}, refused: /serviceAccountName/ },
  { name: 'an empty service account', spec: { serviceAccountName: '' }, refused: /serviceAccountName/ },
  { name: 'an upper-case service account', spec: { serviceAccountName: 'Agent' }, refused: /serviceAccountName/ },
  { name: 'a service account of 63 characters', spec: { serviceAccountName: 'a'.repeat(63) } },
  {
    name: 'a service account of 64 characters',
    spec: { serviceAccountName: 'a'.repeat(64) },
    refused: /serviceAccountName/,
  },
  { name: 'an unknown field', spec: { ...valid, serviceAccount: 'x' }, refused: /serviceAccount/ },
  { name: 'an id that is no label', spec: { ...valid, id: 'a.b' }, refused: /id/ },
  { name: 'an id of 64 characters', spec: { ...valid, id: 'i'.repeat(64) }, refused: /id/ },
  { name: 'an id set later', before: valid, spec: { ...valid, id: 'research' } },
  {
    name: 'an id changed',
    before: { ...valid, id: 'a' },
    spec: { ...valid, id: 'b' },
    refused: /spec.id is immutable/,
  },
  { name: 'an id removed', before: { ...valid, id: 'a' }, spec: valid, refused: /spec.id is immutable/ },
  {
    name: 'another service account',
    before: valid,
    spec: { serviceAccountName: 'other' },
    refused: /serviceAccountName is immutable/,
  },
];
