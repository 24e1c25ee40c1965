/** RuntimeProfiles on a real API server: what opens them and what closes them, each with its twin, and what that costs. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runtimeClassesRead } from '../../rbac/cluster-rules.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { CAPABILITIES } from '../../src/api/capability.ts';
import type { CapabilityReportStatus } from '../../src/api/capability-report.ts';
import { probedNow } from '../../src/api/enforcement.ts';
import { isInForce } from '../../src/controllers/observable.ts';
import { CAPABILITY_REPORTS, NETWORK_POLICIES, RUNTIME_PROFILES } from '../../src/controllers/resources.ts';
import { PRODUCT_VERSION } from '../../src/version.ts';
import { auditBetween, auditCounts, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import {
  ACCOUNT,
  cidrRule,
  conditionOf,
  PROFILE,
  policy,
  profile,
  summary,
  waitForReady,
  waitForReason,
} from '../support/policies.ts';
import type { Running } from '../support/process.ts';
import {
  getProfile,
  idlePod,
  isOpen,
  isShut,
  type ProfileObject,
  profileWith,
  serviceAccount,
  waitForProfile,
} from '../support/profiles.ts';
import { stageCluster } from '../support/staged-cluster.ts';
import { statesDuring } from '../support/states-during.ts';
import { OPERATOR_USER } from './support/governed-site.ts';
import { INSTALL_NAMESPACE, type Installation, install } from './support/installation.ts';

const namespace = 'profiles';
const RUNTIME_CLASS = 'profiles-sandboxed';
/** A spec that no provider can put in force: the plain one has no names. */
const NAMES = {
  dns: { access: 'ClusterResolver' },
  allow: [{ name: 'model-api', to: [{ domain: { name: 'api.example.com' } }], ports: [{ port: 443 }] }],
};
let site: Installation;
let inventory: Running;
let operator: Running;

beforeAll(async () => {
  site = await install([namespace]);
  // The garbage collector looks for new kinds twice a minute only; a new one knows them all at once.
  await site.controlPlane.restart('kube-controller-manager');
  await stageCluster(site.admin, { daemonSets: [{ name: 'kube-router', image: 'kube-router:v2.9.0' }] });
  await site.kubectl.run('delete', '-n', INSTALL_NAMESPACE, 'capabilityreport', '--all');
  await site.kubectl.run('delete', 'runtimeclass', RUNTIME_CLASS, '--ignore-not-found');
  inventory = await site.startInventory(['--runtime-classes', RUNTIME_CLASS]);
  operator = await site.startOperator();
  await site.kubectl.apply([serviceAccount(namespace), serviceAccount(namespace, 'default'), profile(namespace)]);
});

afterAll(async () => {
  await site.kubectl.run('delete', 'runtimeclass', RUNTIME_CLASS, '--ignore-not-found');
  await site.kubectl.run('delete', 'clusterrole,clusterrolebinding', runtimeClassesRead.role, '--ignore-not-found');
  await site.kubectl.run('delete', '-n', INSTALL_NAMESPACE, 'capabilityreport', '--all');
  expect(await operator.stop()).toBe(0);
  expect(await inventory.stop()).toBe(0);
});

const profileIs = (name: string, holds: (seen: ProfileObject) => boolean) =>
  waitForProfile(site.kubectl, { namespace, name }, holds);
const remove = (kind: string, name: string) => site.kubectl.run('delete', kind, '-n', namespace, name);
const putPolicy = (name: string, spec: object = { allow: [cidrRule] }) =>
  site.kubectl.apply([policy(namespace, name, { ...spec })]);

/** The first problem, as the author of a pod reads it. */
async function shut(name: string, reason: string, says: string | RegExp): Promise<ProfileObject> {
  const seen = await profileIs(name, (found) => isShut(found) && conditionOf(found, 'Ready')?.reason === reason);
  expect(seen.status?.admission).toMatchObject({ generation: seen.metadata.generation, open: false });
  expect(seen.status?.admission?.message).toMatch(says);
  expect(isInForce(seen)).toBe(false);
  return seen;
}

async function opened(name: string): Promise<ProfileObject> {
  const seen = await profileIs(name, isOpen);
  expect(isInForce(seen)).toBe(true);
  expect(seen.status?.admission).not.toHaveProperty('message');
  return seen;
}

describe('the example of a profile that uses every field', () => {
  it('is accepted, and closed by what this cluster lacks', async () => {
    const file = path.join(REPOSITORY, 'examples/runtime-profile-strict.yaml');
    await site.kubectl.run('apply', '-n', namespace, '-f', file);
    const seen = await shut('strict', 'DependencyNotReadable', 'RuntimeClass gvisor');
    expect(summary(seen).Accepted).toBe('True/Accepted');
    await remove('runtimeprofile', 'strict');
  });
});

describe('where NetworkPolicies are all there is', () => {
  it('a policy that comes to allow nothing changes in place, and opens its profile', async () => {
    await putPolicy('shapes');
    const before = await waitForReady(site.kubectl, namespace, 'shapes');
    await putPolicy('shapes', {});
    const after = await waitForReady(site.kubectl, namespace, 'shapes');
    expect(after.status?.inForce).toMatchObject({ generation: 2, outputs: before.status?.inForce?.outputs });
    await opened(PROFILE);
    await remove('egresspolicy', 'shapes');
    await outputsGone();
  });
});

describe('egress that must be applied', () => {
  it('closes a profile that no policy names, and a policy in force opens it; the floor is enough where none is required', async () => {
    await shut(PROFILE, 'DependencyMissing', 'no EgressPolicy names RuntimeProfile research: create one');
    await site.kubectl.apply([profileWith({ namespace, name: 'floor' })]);
    await opened('floor');
    await putPolicy('first');
    await opened(PROFILE);
    await remove('egresspolicy', 'first');
    await shut(PROFILE, 'DependencyMissing', 'create one');
    await outputsGone();
    await putPolicy('first');
    await opened(PROFILE);
  });

  it('closes it by any policy that is refused, by name, generation and reason, although the previous stays in force', async () => {
    const { status: before } = await opened(PROFILE);
    await putPolicy('first', NAMES);
    const refused = await waitForReason(site.kubectl, { namespace, name: 'first' }, 'UnsupportedProvider');
    expect(summary(refused).Degraded).toBe('True/KeepingPrevious');
    expect(refused.status?.inForce?.generation).toBe(1);
    const seen = await shut(
      PROFILE,
      'DependencyMissing',
      /^EgressPolicy first generation 2 is not in force: UnsupportedProvider$/,
    );
    expect(seen.status?.admission?.since).toBe(before?.admission?.since);
    await putPolicy('first');
    await opened(PROFILE);
  });

  it('costs the profile no write while a policy changes that stays in force', async () => {
    await opened(PROFILE);
    const mark = await auditMark(controlPlaneOfWorker());
    await putPolicy('first', { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] });
    await waitForReady(site.kubectl, namespace, 'first');
    await putPolicy('second');
    await waitForReady(site.kubectl, namespace, 'second');
    await waitForReady(site.kubectl, namespace, 'first');
    const entries = await auditBetween(controlPlaneOfWorker(), mark, await auditMark(controlPlaneOfWorker()));
    const writes = auditMatching(entries, { user: OPERATOR_USER, verb: WRITES, resource: 'runtimeprofiles' });
    expect(auditCounts(writes)).toEqual({});
    await remove('egresspolicy', 'second');
  });
});

/** What a deleted policy leaves goes by garbage collection, and opens what it said until then. */
function outputsGone(): Promise<void> {
  return waitFor('the outputs to go', { timeoutMs: 60_000, intervalMs: 100 }, async () => {
    const { items } = await site.admin.list(NETWORK_POLICIES, { namespace });
    const left = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('ap-'));
    return left.length === 0 ? { done: true, value: undefined } : { done: false, saw: left.join(', ') };
  });
}

describe('egress that must be enforced', () => {
  it('closes a profile whose policies are in force but not proven, and packets of the probe open it', async () => {
    await site.kubectl.apply([
      profileWith({ namespace, name: PROFILE }, { serviceAccountName: ACCOUNT, requires: { egress: 'Enforced' } }),
    ]);
    await shut(PROFILE, 'DependencyMissing', 'EgressPolicy first generation 4 is in force, but not proven: NotProbed');
    await proveEverything();
    await opened(PROFILE);
    await site.kubectl.apply([
      profileWith({ namespace, name: PROFILE }, { serviceAccountName: ACCOUNT, requires: { egress: 'Applied' } }),
    ]);
    await opened(PROFILE);
  });
});

/** As the probe does. */
async function proveEverything(): Promise<void> {
  const ref = { namespace: INSTALL_NAMESPACE, name: 'cluster' };
  const { apiVersion, kind, status } = await site.admin.get(CAPABILITY_REPORTS, ref);
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const expiresAt = `${new Date(Date.now() + 3600_000).toISOString().slice(0, 19)}Z`;
  const enforcement = CAPABILITIES.map((capability) => ({
    capability,
    result: 'Verified',
    reason: 'Proven',
    message: 'staged',
    at,
    expiresAt,
    nodes: { covered: 1 },
  }));
  const probed = probedNow(status as CapabilityReportStatus, PRODUCT_VERSION);
  const report = { apiVersion, kind, metadata: ref, status: { probed, enforcement } };
  await site.admin.apply(CAPABILITY_REPORTS, report, { fieldManager: 'probe', force: true, subresource: 'status' });
}

describe('a RuntimeClass', () => {
  const spec = { runtimeClassName: RUNTIME_CLASS };
  const inventoryRole = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: runtimeClassesRead.role },
    rules: [
      { apiGroups: ['node.k8s.io'], resources: ['runtimeclasses'], resourceNames: [RUNTIME_CLASS], verbs: ['get'] },
    ],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: runtimeClassesRead.role },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: runtimeClassesRead.role },
    subjects: [{ kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: 'agentplane-inventory' }],
  };

  it('that may not be read, and one that does not exist, are told apart, and both close; one that exists opens', async () => {
    await site.kubectl.apply([profileWith({ namespace, name: 'classy' }, spec)]);
    await shut('classy', 'DependencyNotReadable', `may not get RuntimeClass ${RUNTIME_CLASS}`);
    await site.kubectl.apply([inventoryRole, binding]);
    await shut('classy', 'DependencyMissing', `RuntimeClass ${RUNTIME_CLASS} does not exist`);
    const runtimeClass = {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: RUNTIME_CLASS },
      handler: 'none',
    };
    await site.kubectl.apply([runtimeClass]);
    await opened('classy');
    await site.kubectl.run('delete', 'runtimeclass', RUNTIME_CLASS);
    await shut('classy', 'DependencyMissing', 'does not exist');
  });

  it('that nobody looks for is not known', async () => {
    await site.kubectl.apply([profileWith({ namespace, name: 'unknown' }, { runtimeClassName: 'somewhere' })]);
    await shut('unknown', 'DependencyNotReadable', 'inventory.runtimeClasses');
  });
});

describe('pods', () => {
  it('that carry the label of a profile and run as another account close it and its policies, until they are gone', async () => {
    await opened(PROFILE);
    await site.kubectl.apply([idlePod({ namespace, name: 'forged' }, 'default')]);
    await shut(PROFILE, 'SubjectConflict', /delete forged$/);
    const closed = await waitForReason(site.kubectl, { namespace, name: 'first' }, 'DependencyMissing');
    expect(conditionOf(closed, 'DependenciesResolved')?.message).toContain('forged');
    await remove('pod', 'forged');
    await opened(PROFILE);
    await waitForReady(site.kubectl, namespace, 'first');
  });

  it('are counted, and those that an older generation admitted, once they have settled', async () => {
    const { status } = await opened('floor');
    const account = 'floor-agent';
    await site.kubectl.apply([serviceAccount(namespace, account)]);
    await afterSecond(status?.admission?.since);
    await site.kubectl.apply([idlePod({ namespace, name: 'older' }, account, 'floor')]);
    await waitForProfile(
      site.kubectl,
      { namespace, name: 'floor' },
      (seen) => {
        return seen.status?.workloads?.pods === 1 && seen.status.workloads.olderGeneration === 0;
      },
      30_000,
    );
    await afterSecond(new Date().toISOString());
    await site.kubectl.apply([profileWith({ namespace, name: 'floor' }, { deletion: { timeoutSeconds: 1 } })]);
    await profileIs('floor', (seen) => isOpen(seen) && seen.status?.workloads?.olderGeneration === 1);
  });
});

/** Times of the API have whole seconds. */
async function afterSecond(time: string | undefined): Promise<void> {
  const end = Math.floor(Date.parse(time ?? '') / 1000) * 1000 + 1000;
  await waitFor('the second to pass', { timeoutMs: 2000, intervalMs: 20 }, async () => {
    return Date.now() >= end ? { done: true, value: undefined } : { done: false, saw: 'the same' };
  });
}

describe('a newer generation', () => {
  it('never shows as open before it is judged, also while no operator runs', async () => {
    const before = await opened(PROFILE);
    const states = await statesDuring<ProfileObject>(
      site.admin,
      { resource: RUNTIME_PROFILES, namespace },
      async () => {
        expect(await operator.stop()).toBe(0);
        const spec = { serviceAccountName: ACCOUNT, requires: { egress: 'Applied' }, deletion: { timeoutSeconds: 7 } };
        await site.kubectl.apply([profileWith({ namespace, name: PROFILE }, spec)]);
        const waiting = await getProfile(site.kubectl, { namespace, name: PROFILE });
        expect(waiting?.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
        expect(waiting?.status).toEqual(before.status);
        expect(waiting !== undefined && (isOpen(waiting) || isInForce(waiting))).toBe(false);
        operator = await site.startOperator();
        const after = await opened(PROFILE);
        expect(Date.parse(after.status?.admission?.since ?? '')).toBeGreaterThanOrEqual(
          Date.parse(before.status?.admission?.since ?? ''),
        );
      },
    );
    const moments = states.filter(({ metadata }) => metadata.name === PROFILE);
    expect(moments.length).toBeGreaterThanOrEqual(2);
    for (const moment of moments)
      expect(isOpen(moment)).toBe(moment.status?.observedGeneration === moment.metadata.generation);
  });

  it('and a status that somebody else writes, are put right', async () => {
    await remove('egresspolicy', 'first');
    const { metadata } = await shut(PROFILE, 'DependencyMissing', 'create one');
    const forged = {
      status: {
        admission: {
          generation: metadata.generation,
          open: true,
          message: null,
          secrets: [{ name: 'a', keys: ['b'] }],
        },
      },
    };
    const ref = { namespace, name: PROFILE };
    await site.admin.mergePatch(RUNTIME_PROFILES, ref, forged, { fieldManager: 'forger', subresource: 'status' });
    // A write that was decided before the forgery may land after it, and takes back what it speaks of alone.
    const seen = await profileIs(
      PROFILE,
      ({ status }) => status?.admission?.open === false && status.admission.secrets === undefined,
    );
    expect(seen.metadata.generation).toBe(metadata.generation);
  });
});
