import { describe, expect, test } from 'vitest';
import { FLOOR_NAME } from '../api/meta.ts';
import { factsFor } from '../compile/testing.ts';
import { inForceOf } from '../controllers/egress-policy/outputs.ts';
import { sortManifests } from '../explain/input.ts';
import type { KubeObject } from '../kube/types.ts';
import { parseManifests } from '../manifests/parse.ts';
import { differenceOf, isDifferent } from './difference.ts';
import { type Live, siteOf } from './live.ts';
import { plan } from './plan.ts';

const API = 'agentplane.dev/v1alpha1';
const LIMITS = { allowAnyDestination: false, clusterDomain: 'cluster.local' };
const NOW = new Date('2026-01-02T00:00:00Z');
const facts = factsFor('k8s-networkpolicy', { 'domain.exact': 'NoDomainRules', 'dns.filter': 'NoDomainRules' });

const floor = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: FLOOR_NAME, namespace: 'a' },
  spec: { podSelector: {}, policyTypes: ['Egress'] },
};
const profile = (spec: object = {}, name = 'research') => ({
  apiVersion: API,
  kind: 'RuntimeProfile',
  metadata: { name, namespace: 'a' },
  spec: { serviceAccountName: name, ...spec },
});
const policy = (spec: object, name = 'egress') => ({
  apiVersion: API,
  kind: 'EgressPolicy',
  metadata: { name, namespace: 'a' },
  spec: { profileRef: { name: 'research' }, ...spec },
});
const to = (block: string, port = 443) => ({ allow: [{ name: 'r', to: [{ cidr: { block } }], ports: [{ port }] }] });
const byName = {
  dns: { access: 'ClusterResolver' },
  allow: [{ name: 'r', to: [{ domain: { name: 'api.example.com' } }], ports: [{ port: 443 }] }],
};

const EMPTY: Live = { namespace: 'a', profiles: [], policies: [], outputs: [floor] };

/** As the API server and the operator would leave the objects, starting from `live`. */
function settled(objects: readonly object[], live: Live = EMPTY): Live {
  const { profiles, policies } = sorted(objects);
  const stored = (list: readonly { readonly object: KubeObject }[], salt: string) =>
    list.map(({ object }) => ({
      ...object,
      metadata: {
        ...object.metadata,
        uid: `${salt}-${object.metadata.name}`,
        creationTimestamp: '2026-01-01T00:00:00Z',
        generation: 1,
      },
    }));
  const base: Live = { ...live, profiles: stored(profiles, 'profile'), policies: stored(policies, 'policy') };
  return {
    ...base,
    outputs: asLive(
      plan({ profiles: [], policies }, base, siteOf(base, { facts, limits: LIMITS, now: NOW })).outputsAfter,
    ),
  };
}

function asLive(outputs: readonly unknown[]): readonly KubeObject[] {
  return JSON.parse(JSON.stringify(outputs)) as readonly KubeObject[];
}

function sorted(objects: readonly object[]) {
  return sortManifests(
    parseManifests('f', objects.map((object) => JSON.stringify(object)).join('\n---\n')).manifests,
    'a',
  );
}

function difference(objects: readonly object[], live: Live, known = facts) {
  const { profiles, policies } = sorted(objects);
  return differenceOf({ profiles, policies }, live, siteOf(live, { facts: known, limits: LIMITS, now: NOW }));
}

const before = settled([profile(), policy(to('203.0.113.0/24'))]);

describe('what changes', () => {
  test('nothing, where the same is applied again', () => {
    const again = difference([profile(), policy(to('203.0.113.0/24'))], before);
    expect(isDifferent(again)).toBe(false);
    expect(again.policies).toMatchObject([{ change: 'Unchanged', refusals: [] }]);
    expect(again.accounts).toMatchObject([{ serviceAccountName: 'research', opens: [], closes: [] }]);
  });

  test('nothing, where defaults are written out', () => {
    const spelled = policy({ ...to('203.0.113.0/24'), onRefusal: 'KeepPrevious', ipFamilies: ['IPv4', 'IPv6'] });
    expect(difference([spelled], before).policies).toMatchObject([{ change: 'Unchanged' }]);
  });

  test('another port opens one and closes the other', () => {
    const found = difference([policy(to('203.0.113.0/24', 8443))], before);
    expect(found.accounts).toMatchObject([
      { opens: ['203.0.113.0/24 on TCP 8443'], closes: ['203.0.113.0/24 on TCP 443'] },
    ]);
    expect(isDifferent(found)).toBe(true);
  });

  test('of many ports none is left out', () => {
    const ports = Array.from({ length: 24 }, (_, i) => ({ port: 1000 + i * 2 }));
    const [account] = difference(
      [policy({ allow: [{ name: 'r', to: [{ cidr: { block: '203.0.113.0/24' } }], ports }] })],
      before,
    ).accounts;
    for (const { port } of ports) expect(account?.opens.join()).toContain(String(port));
  });

  test('a smaller block only closes', () => {
    const [account] = difference([policy(to('203.0.113.0/25'))], before).accounts;
    expect(account?.opens).toEqual([]);
    expect(account?.closes.join()).toContain('203.0.113.128/25');
  });

  test('a new policy with its profile opens what it allows', () => {
    const found = difference([profile(), policy(to('203.0.113.0/24'))], EMPTY);
    expect(found.policies).toMatchObject([{ change: 'New', refusals: [] }]);
    expect(found.accounts).toMatchObject([{ opens: ['203.0.113.0/24 on TCP 443'], closes: [] }]);
  });

  test('what another policy already allows does not open', () => {
    const wide = settled([profile(), policy(to('203.0.113.0/24'), 'wide')]);
    expect(difference([policy(to('203.0.113.0/25'), 'narrow')], wide).accounts).toMatchObject([
      { opens: [], closes: [] },
    ]);
  });

  test('a policy that moves to another profile closes one account and opens another', () => {
    const two = settled([profile(), profile({}, 'other'), policy(to('203.0.113.0/24'))]);
    const moved = difference([policy({ ...to('203.0.113.0/24'), profileRef: { name: 'other' } })], two);
    expect(moved.accounts).toMatchObject([
      { serviceAccountName: 'research', opens: [], closes: ['203.0.113.0/24 on TCP 443'] },
      { serviceAccountName: 'other', opens: ['203.0.113.0/24 on TCP 443'], closes: [] },
    ]);
  });

  test('a profile that comes makes a waiting policy work', () => {
    const waiting = settled([policy(to('203.0.113.0/24'))]);
    const found = difference([profile()], waiting);
    expect(found.policies).toMatchObject([{ manifest: undefined, refusals: [] }]);
    expect(found.accounts).toMatchObject([{ opens: ['203.0.113.0/24 on TCP 443'] }]);
  });
});

describe('a pause', () => {
  const pause = (until: string) => ({ pause: { reason: 'maintenance', until } });
  const wide = { egress: [{}] };
  /** What `policy` left in the cluster, changed by somebody, with the record that the operator wrote before. */
  const drifted = (spec: object): Live => {
    const live = settled([profile(), policy(spec)]);
    const [, output] = live.outputs;
    const [stored] = live.policies;
    if (output === undefined || stored === undefined) throw new Error('nothing was compiled');
    const changed = { ...output, spec: { ...Object(output.spec), ...wide } };
    return {
      ...live,
      policies: [{ ...stored, status: { inForce: inForceOf([output], 1) } }],
      outputs: [floor, changed],
    };
  };
  const during = { ...to('203.0.113.0/24'), ...pause('2026-01-03T00:00:00Z') };

  test('leaves what somebody changed as it is, until it ends', () => {
    expect(difference([policy(during)], drifted(during)).accounts).toMatchObject([{ opens: [], closes: [] }]);
    const over = { ...during, ...pause('2026-01-01T12:00:00Z') };
    expect(difference([policy(over)], drifted(over)).accounts[0]?.closes).not.toEqual([]);
  });

  test('does not hold up another spec', () => {
    const found = difference([policy({ ...during, ...to('203.0.113.0/25') })], drifted(during));
    expect(found.accounts[0]?.closes).not.toEqual([]);
  });

  test('without a near end is refused, and DenyAll then shuts', () => {
    const strict = { ...to('203.0.113.0/24'), onRefusal: 'DenyAll' };
    const live = settled([profile(), policy(strict)]);
    const until = (time: string) => difference([policy({ ...strict, ...pause(time) })], live);
    const refused = until('2099-01-01T00:00:00Z');
    expect(refused.policies[0]?.refusals).toMatchObject([{ reason: 'InvalidPolicy', path: 'spec.pause.until' }]);
    expect(refused.accounts).toMatchObject([{ opens: [], closes: ['203.0.113.0/24 on TCP 443'] }]);
    expect(isDifferent(until('2026-01-03T00:00:00Z'))).toBe(false);
  });
});

describe('what is refused', () => {
  test('by default what is in force stays', () => {
    const found = difference([policy(byName)], before);
    expect(found.policies[0]).toMatchObject({ consequence: 'what is in force would stay (onRefusal: KeepPrevious)' });
    expect(found.policies[0]?.refusals.map(({ reason }) => reason)).toContain('UnsupportedProvider');
    expect(found.accounts).toMatchObject([{ opens: [], closes: [] }]);
    expect(isDifferent(found)).toBe(true);
  });

  test('with DenyAll it is shut', () => {
    const found = difference([policy({ ...byName, onRefusal: 'DenyAll' })], before);
    expect(found.policies[0]?.consequence).toContain('onRefusal is DenyAll');
    expect(found.accounts).toMatchObject([{ opens: [], closes: ['203.0.113.0/24 on TCP 443'] }]);
  });

  test('with DenyAll, but without the floor, nothing is taken away', () => {
    const bare = { ...before, outputs: before.outputs.filter(({ metadata }) => metadata.name !== FLOOR_NAME) };
    const found = difference([policy({ ...byName, onRefusal: 'DenyAll' })], bare);
    expect(found.policies[0]?.refusals.map(({ reason }) => reason)).toContain('FloorMissing');
    expect(found.policies[0]?.consequence).toContain('without the egress floor nothing is removed');
    expect(found.accounts).toMatchObject([{ opens: [], closes: [] }]);
  });

  test('nor is it for a spec that is not newer', () => {
    const strict = { ...to('203.0.113.0/24'), onRefusal: 'DenyAll' };
    const lost = factsFor('k8s-networkpolicy', { cidr: 'AgentsNotReady' });
    const found = difference([policy(strict)], settled([profile(), policy(strict)]), lost);
    expect(found.policies).toMatchObject([{ change: 'Unchanged', refusals: [{ reason: 'UnsupportedProvider' }] }]);
    expect(found.policies[0]?.consequence).toBe('what is in force would stay (DenyAll is about a newer spec)');
    expect(found.accounts).toMatchObject([{ opens: [], closes: [] }]);
  });

  test('what the API server does not store changes nothing, DenyAll or not', () => {
    const found = difference([policy({ alow: [], onRefusal: 'DenyAll' })], before);
    expect(found.policies[0]?.consequence).toBe('the API server refuses the object: nothing changes');
    expect(found.accounts).toMatchObject([{ opens: [], closes: [] }]);
  });

  test('an id that is set stays as it is', () => {
    const named = settled([profile(), policy({ ...to('203.0.113.0/24'), id: 'one' })]);
    const found = difference([policy({ ...to('203.0.113.0/25'), id: 'two' })], named);
    expect(found.policies[0]?.refusals).toMatchObject([
      { reason: 'InvalidPolicy', message: 'spec.id is immutable once set' },
    ]);
    expect(found.accounts).toMatchObject([{ opens: [], closes: [] }]);
  });

  test('a profile whose account may not change leaves the account that it has', () => {
    const found = difference([profile({ serviceAccountName: 'thief' }), policy(to('203.0.113.0/24'))], before);
    expect(found.profiles[0]?.refusals).toMatchObject([{ reason: 'InvalidPolicy' }]);
    expect(found.accounts).toMatchObject([{ serviceAccountName: 'research', opens: [], closes: [] }]);
  });

  test('the younger of two with one id, the newcomer', () => {
    const named = settled([profile(), policy({ ...to('203.0.113.0/24'), id: 'one' })]);
    const found = difference([policy({ ...to('198.51.100.0/24'), id: 'one' }, 'newcomer')], named);
    expect(found.policies[0]?.refusals.map(({ reason }) => reason)).toEqual(['IdentityConflict']);
  });

  test('an object of somebody else stands in the way', () => {
    const [output] = settled([profile(), policy({ ...to('203.0.113.0/24'), id: 'one' })]).outputs.slice(1);
    const foreign = { ...floor, metadata: { name: output?.metadata.name ?? '', namespace: 'a', uid: 'foreign' } };
    const taken = { ...settled([profile()]), outputs: [floor, foreign] };
    const found = difference([policy({ ...to('203.0.113.0/24'), id: 'one' })], taken);
    expect(found.policies[0]?.refusals.map(({ reason }) => reason)).toEqual(['OwnershipConflict']);
    expect(found.accounts).toMatchObject([{ opens: [] }]);
  });
});
