import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '../api/capability.ts';
import { CapabilityReport } from '../api/capability-report.ts';
import { healthySeen } from '../compile/healthy.ts';
import { documentHasField } from './api-schemas.ts';
import { flagsOf, imageTag } from './observe.ts';
import { saysTheSame } from './publish.ts';
import { reportOf } from './report.ts';

const seen = {
  ...healthySeen('cilium'),
  configMaps: { 'cilium-config': { 'enable-l7-proxy': 'true', 'unrelated-secret-looking': 'hunter2' } },
};
const request = {
  seen,
  settings: { dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } }, apiServerPort: 6443 },
  kubernetesVersion: '1.36',
  now: new Date('2030-01-01T00:00:00.123Z'),
};

describe('the report', () => {
  it('fits its own schema, so that the API server drops nothing of it', () => {
    for (const name of PROVIDER_NAMES) {
      const report = reportOf({ ...request, seen: healthySeen(name) });
      expect(CapabilityReport.status.safeParse(report).error).toBeUndefined();
    }
  });

  it('holds nothing of a ConfigMap but a digest of the settings that were judged', () => {
    expect(JSON.stringify(reportOf(request))).not.toContain('hunter2');
    const other = { ...seen, configMaps: { 'cilium-config': { 'enable-l7-proxy': 'true', other: 'x' } } };
    expect(reportOf({ ...request, seen: other }).provider?.configHash).toBe(reportOf(request).provider?.configHash);
  });

  it('says the same whenever it is made, and something else when the cluster is', () => {
    const later = reportOf({ ...request, now: new Date('2031-01-01T00:00:00Z') });
    expect(saysTheSame(reportOf(request), later)).toBe(true);
    expect(later.capabilityHash).toBe(reportOf(request).capabilityHash);
    const without = { ...seen, configMaps: { 'cilium-config': { 'enable-l7-proxy': 'false' } } };
    expect(saysTheSame(reportOf(request), reportOf({ ...request, seen: without }))).toBe(false);
    expect(reportOf({ ...request, seen: without }).capabilityHash).not.toBe(later.capabilityHash);
  });
});

describe('the tag of an image', () => {
  it.each([
    ['quay.io/cilium/cilium:v1.20.2', 'v1.20.2'],
    ['quay.io/cilium/cilium:v1.20.2@sha256:abc', 'v1.20.2'],
    ['registry:5000/cilium', ''],
    ['registry:5000/cilium:1.0', '1.0'],
    ['cilium@sha256:abc', ''],
    ['', ''],
  ])('%s', (image, tag) => {
    expect(imageTag(image)).toBe(tag);
  });
});

describe('the flags of an agent', () => {
  it.each([
    [['--run-firewall=false', '--v=2'], { '--run-firewall': 'false', '--v': '2' }],
    [['--run-firewall', 'false'], { '--run-firewall': 'false' }],
    [['--run-firewall', '--run-router'], { '--run-firewall': 'true', '--run-router': 'true' }],
    [['kube-router', '--a=b=c'], { '--a': 'b=c' }],
  ])('%s', (args, flags) => {
    expect(flagsOf(args)).toEqual(flags);
  });
});

describe('an API', () => {
  const wanted = { group: 'g', version: 'v1', kind: 'K', field: ['spec', 'egress', '[]', 'toFQDNs'] };
  const document = (kind: string, egress: unknown) => ({
    components: {
      schemas: {
        one: {
          'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v1', kind }],
          properties: { spec: { properties: { egress } } },
        },
      },
    },
  });

  const withTypes = (egress: unknown, types: Readonly<Record<string, unknown>>) => ({
    components: { schemas: { ...document('K', egress).components.schemas, ...types } },
  });
  const toFQDNs = { type: 'array' };
  const rule = { properties: { toFQDNs } };
  const $ref = '#/components/schemas/Rule';

  it.each([
    ['written out', document('K', { items: rule })],
    ['referred to', withTypes({ items: { $ref } }, { Rule: rule })],
    ['referred to with a description', withTypes({ items: { allOf: [{ $ref }], default: {} } }, { Rule: rule })],
  ])('is recognised by its field, %s', (_, found) => {
    expect(documentHasField(found, wanted)).toBe(true);
  });

  it.each([
    ['another kind', document('Other', { items: rule })],
    ['a look-alike without the field', document('K', { items: { properties: { fqdns: toFQDNs } } })],
    ['a field that is no list', document('K', rule)],
    ['a type that is not there', withTypes({ items: { $ref } }, {})],
    ['a type of another document', withTypes({ items: { $ref: 'https://example.com/Rule' } }, { Rule: rule })],
    ['an empty document', {}],
  ])('is not %s', (_, found) => {
    expect(documentHasField(found, wanted)).toBe(false);
  });
});
