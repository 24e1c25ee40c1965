import { describe, expect, test } from 'vitest';
import type { Facts } from '../compile/facts.ts';
import { factsOf } from '../compile/facts.ts';
import { parseManifests } from '../manifests/parse.ts';
import { explain } from './explain.ts';
import { sortManifests } from './input.ts';
import { healthyReport } from './provider.ts';

const LIMITS = { allowAnyDestination: false, clusterDomain: 'cluster.local' };

function facts(provider: string, apiServerAddresses: readonly string[] = []): Facts {
  const settings = { dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } }, apiServerPort: 6443 };
  const healthy = healthyReport({ provider, settings, apiServerAddresses, now: new Date(0) });
  if (!healthy.ok) throw new Error(healthy.message);
  return factsOf(healthy.report, () => true);
}

function explained(objects: readonly object[], provider = 'networkpolicy', apiServerAddresses: readonly string[] = []) {
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  return explain(sortManifests(parseManifests('f', text).manifests, 'default'), {
    facts: facts(provider, apiServerAddresses),
    limits: LIMITS,
    now: new Date('2026-01-01T00:00:00Z'),
  });
}

const profile = (name = 'research', serviceAccountName = 'agent', metadata: object = {}) => ({
  apiVersion: 'agentplane.dev/v1alpha1',
  kind: 'RuntimeProfile',
  metadata: { name, ...metadata },
  spec: { serviceAccountName },
});

const policy = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'agentplane.dev/v1alpha1',
  kind: 'EgressPolicy',
  metadata: { name: 'egress', ...metadata },
  spec: { profileRef: { name: 'research' }, ...spec },
});

const rule = (to: object, ports: readonly object[] = [{ port: 443 }]) => ({ allow: [{ name: 'r', to: [to], ports }] });
const reasons = (items: ReturnType<typeof explained>) =>
  items.flatMap(({ refusals }) => refusals.map(({ reason, path }) => `${reason} ${path}`));

describe('what is refused, with the field', () => {
  test.each([
    ['a valid policy', [profile(), policy(rule({ cidr: { block: '203.0.113.0/24' } }))], []],
    ['a field that does not exist', [profile(), policy({ alow: [] })], ['InvalidPolicy spec.alow']],
    ['one at the root', [profile(), { ...policy(), spce: 1 }], ['InvalidPolicy spce']],
    [
      'no spec',
      [profile(), { ...policy(), spec: undefined }],
      ['InvalidPolicy spec', 'DependencyMissing spec.profileRef.name'],
    ],
    [
      'a rule of the schema',
      [profile(), policy(rule({ cidr: { block: '203.0.113.0/24' } }, [{ port: 9, endPort: 1 }]))],
      ['InvalidPolicy spec.allow[0].ports[0]'],
    ],
    [
      'what no policy may say',
      [profile(), policy(rule({ cidr: { block: '203.0.113.1/24' } }))],
      ['InvalidPolicy spec.allow[0].to[0]'],
    ],
    [
      'all of the internet',
      [profile(), policy(rule({ cidr: { block: '0.0.0.0/0', except: ['169.254.0.0/16'] } }))],
      ['InvalidPolicy spec.allow[0].to[0]', 'InvalidPolicy spec'],
    ],
    ['a name that no object has', [profile(), policy({}, { name: 'Not_A_Name' })], ['InvalidPolicy metadata.name']],
    [
      'a name that the API server would make',
      [profile(), policy({}, { name: undefined, generateName: 'p-' })],
      ['InvalidPolicy metadata.generateName'],
    ],
    ['a pause with a near end', [profile(), policy({ pause: { reason: 'x', until: '2026-01-08T00:00:00Z' } })], []],
    [
      'a pause without one',
      [profile(), policy({ pause: { reason: 'x', until: '2026-01-08T00:00:01Z' } })],
      ['InvalidPolicy spec.pause.until'],
    ],
    ['a missing profile', [policy()], ['DependencyMissing spec.profileRef.name']],
    [
      'a profile elsewhere',
      [profile('research', 'agent', { namespace: 'b' }), policy({}, { namespace: 'a' })],
      ['DependencyMissing spec.profileRef.name'],
    ],
    [
      'a profile that is refused itself',
      [profile('research', 'Not_An_Account'), policy()],
      ['InvalidPolicy spec.serviceAccountName', 'DependencyMissing spec.profileRef.name'],
    ],
    [
      'an account with two profiles',
      [profile('other'), profile(), policy()],
      ['SubjectConflict spec', 'DependencyMissing spec.profileRef.name'],
    ],
    [
      'an id twice: the later yields',
      [profile(), policy({ id: 'x' }), policy({ id: 'x' }, { name: 'later' })],
      ['IdentityConflict spec.id'],
    ],
    [
      'one family on a provider that cannot hold to it',
      [profile(), policy({ ipFamilies: ['IPv4'], dns: { access: 'ClusterResolver', queries: 'Any' } })],
      ['UnsupportedProvider spec'],
    ],
    [
      'a range of ports',
      [profile(), policy(rule({ cidr: { block: '203.0.113.0/24' } }, [{ port: 1, endPort: 9 }]))],
      [],
    ],
  ])('%s', (_, objects, expected) => {
    expect(reasons(explained(objects as readonly object[]))).toEqual(expected);
  });

  test('without a provider that enforces, each capability is named with a way out', () => {
    const [, item] = explained(
      [profile(), policy(rule({ cidr: { block: '203.0.113.0/24' } }, [{ port: 1, endPort: 9 }]))],
      'none',
    );
    expect(item?.refusals.map(({ capability, path, rule: name, index }) => [capability, path, name, index])).toEqual([
      ['isolation', 'spec', undefined, undefined],
      ['cidr', 'spec.allow[0].to[0]', 'r', 0],
      ['ports.range', 'spec.allow[0].ports[0]', 'r', 0],
    ]);
    for (const refusal of item?.refusals ?? []) expect(refusal.wayOut).toContain('Cilium');
    expect(item?.objects).toEqual([]);
  });
});

describe('an API server whose address no policy may open', () => {
  const objects = [profile(), policy(rule({ kubeAPIServer: {} }))];

  test('is named, with the value of the chart to correct', () => {
    const [, item] = explained(objects, 'networkpolicy', ['203.0.113.1', '169.254.169.254']);
    expect(item?.objects).toEqual([]);
    expect(item?.refusals).toMatchObject([
      {
        reason: 'UnsupportedProvider',
        path: 'spec.allow[0].to[0]',
        rule: 'r',
        index: 0,
        capabilityReason: 'APIServerAddressForbidden',
        message: expect.stringContaining('169.254.169.254 is part of 169.254.0.0/16'),
        wayOut: expect.stringContaining('correct apiServer.addresses in the values of the chart'),
      },
    ]);
  });

  test('is opened where the address is another one', () => {
    expect(explained(objects, 'networkpolicy', ['203.0.113.1'])[1]).toMatchObject({ refusals: [] });
  });
});

describe('the identity of what is generated', () => {
  test('is said to be a placeholder while the UID is not known', () => {
    expect(explained([profile(), policy()])[1]).toMatchObject({ provisionalNames: true });
  });

  test.each([
    ['spec.id', policy({ id: 'stable' })],
    ['a UID of an export', policy({}, { uid: '6f3f0f5e-0000-4000-8000-000000000001' })],
  ])('is known by %s', (_, object) => {
    const [, item] = explained([profile(), object]);
    expect(item).toMatchObject({ provisionalNames: false, refusals: [] });
    expect(item?.objects[0]?.metadata.name).toMatch(/^ap-egress-[0-9a-f]{16}$/);
  });

  test('is that of an older object also where it comes later in the input', () => {
    const younger = policy({ id: 'x' }, { name: 'younger', creationTimestamp: '2026-02-01T00:00:00Z' });
    const older = policy({ id: 'x' }, { name: 'older', creationTimestamp: '2026-01-01T00:00:00Z' });
    const refused = explained([profile(), younger, older]).filter(({ refusals }) => refusals.length > 0);
    expect(refused.map(({ name }) => name)).toEqual(['younger']);
  });
});
