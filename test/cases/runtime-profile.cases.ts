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
  {
    name: 'a profile that uses every field',
    spec: {
      ...valid,
      id: 'research',
      runtimeClassName: 'gvisor',
      pod: {
        readOnlyRootFilesystem: 'Optional',
        userNamespace: 'Required',
        serviceAccountToken: 'Allowed',
        volumes: ['emptyDir', 'persistentVolumeClaim'],
        maxLifetimeSeconds: 3600,
      },
      images: { allowedPrefixes: ['registry.example.com:5000/agents/', 'ghcr.io/acme/runner@'], digest: 'Optional' },
      resources: { maxPerContainer: { cpu: '500m', memory: '4Gi', 'ephemeral-storage': '1.5G' } },
      requires: { egress: 'Enforced' },
      deletion: { timeoutSeconds: 0 },
    },
  },
  { name: 'no volumes', spec: { ...valid, pod: { volumes: [] } } },
  { name: 'a volume of the host', spec: { ...valid, pod: { volumes: ['hostPath'] } }, refused: /volumes/ },
  {
    name: 'a volume type twice',
    spec: { ...valid, pod: { volumes: ['emptyDir', 'emptyDir'] } },
    refused: /volumes.*(unique|[Dd]uplicate)/s,
  },
  { name: 'a lifetime of nothing', spec: { ...valid, pod: { maxLifetimeSeconds: 0 } }, refused: /maxLifetimeSeconds/ },
  { name: 'an unknown field of the pod', spec: { ...valid, pod: { privileged: true } }, refused: /privileged/ },
  {
    name: 'a prefix that another name may continue',
    spec: { ...valid, images: { allowedPrefixes: ['registry.example.com/agents'] } },
    refused: /allowedPrefixes/,
  },
  {
    name: 'a prefix without a registry',
    spec: { ...valid, images: { allowedPrefixes: ['/agents/'] } },
    refused: /allowedPrefixes/,
  },
  {
    name: 'an upper-case prefix',
    spec: { ...valid, images: { allowedPrefixes: ['Registry.example.com/'] } },
    refused: /allowedPrefixes/,
  },
  {
    name: 'a quantity with a sign',
    spec: { ...valid, resources: { maxPerContainer: { cpu: '-1' } } },
    refused: /cpu/,
  },
  {
    name: 'a resource that is not known',
    spec: { ...valid, resources: { maxPerContainer: { gpu: '1' } } },
    refused: /gpu/,
  },
  { name: 'a requirement that does not exist', spec: { ...valid, requires: { egress: 'Maybe' } }, refused: /egress/ },
  {
    name: 'a timeout before the start',
    spec: { ...valid, deletion: { timeoutSeconds: -1 } },
    refused: /timeoutSeconds/,
  },
  { name: 'another runtime class', before: valid, spec: { ...valid, runtimeClassName: 'gvisor' } },
];
