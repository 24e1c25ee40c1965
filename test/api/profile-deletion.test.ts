/** The whole life of the one finalizer, on a real API server with the admission policies in place: it waits, says for what, and never gives up. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { WORKLOADS_FINALIZER } from '../../src/api/meta.ts';
import { PODS, RUNTIME_PROFILES, VOLUME_CLAIMS } from '../../src/controllers/resources.ts';
import { isKubeError } from '../../src/kube/errors.ts';
import type { KubeObject, Resource } from '../../src/kube/types.ts';
import { auditBetween, auditMark, auditMatching, WRITES } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { metricOf } from '../support/metrics.ts';
import { conditionOf, PROFILE } from '../support/policies.ts';
import type { Running } from '../support/process.ts';
import {
  isOpen,
  type ProfileObject,
  profileWith,
  serviceAccount,
  volumeClaim,
  waitForProfile,
} from '../support/profiles.ts';
import { pod } from './admission/pod.ts';
import { removePolicies } from './admission/site.ts';
import { revoke } from './fire/rights.ts';
import { OPERATOR_USER } from './support/governed-site.ts';
import { type Installation, install } from './support/installation.ts';

const namespace = 'deletion';
/** Is deleted as a whole. */
const DOOMED = 'deletion-doomed';
const ACCOUNT = `${PROFILE}-agent`;
let site: Installation;
let operator: Running;

beforeAll(async () => {
  const governed = [namespace, DOOMED];
  site = await install(governed, { admission: { namespaces: governed } });
  await site.kubectl.apply(governed.map((name) => serviceAccount(name, ACCOUNT)));
  operator = await site.startOperator();
});

afterAll(async () => {
  await operator.stop();
  await removePolicies(site);
});

/** Waits for nothing in the network, and lets any image of the test's registry run. */
function put(where = namespace, timeoutSeconds = 600): Promise<string> {
  const spec = { images: { allowedPrefixes: ['registry.example.com/agents/'] }, deletion: { timeoutSeconds } };
  return site.kubectl.apply([profileWith({ namespace: where, name: PROFILE }, spec)]);
}

const profileIs = (holds: (seen: ProfileObject) => boolean, timeoutMs?: number) =>
  waitForProfile(site.kubectl, { namespace, name: PROFILE }, holds, timeoutMs);

async function find(resource: Resource, name: string): Promise<KubeObject | undefined> {
  try {
    return await site.admin.get(resource, { namespace, name });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const aPod = (name: string, where = namespace) => pod(where, name, { spec: { runtimeClassName: undefined } });

/** The API server takes a moment to see that a profile is open. */
async function run(name: string, where = namespace): Promise<void> {
  await waitFor(`pod ${name} to be admitted`, { timeoutMs: 20_000, intervalMs: 100 }, async () => {
    try {
      await site.admin.create(PODS, aPod(name, where) as unknown as KubeObject, { fieldManager: 'test' });
      return { done: true, value: undefined };
    } catch (error) {
      return { done: false, saw: String(error) };
    }
  });
}

/** Asks for the deletion, and does not wait for it. */
const remove = (kind: string, name: string) => site.kubectl.run('delete', kind, '-n', namespace, name, '--wait=false');

async function gone(timeoutMs = 5000): Promise<void> {
  await waitUntil('the profile to be gone', { timeoutMs, intervalMs: 50 }, async () => {
    return (await find(RUNTIME_PROFILES, PROFILE)) === undefined;
  });
}

const remainingOf = ({ status }: ProfileObject) =>
  (status?.workloads?.remaining ?? []).map(({ kind, name }) => `${kind} ${name}`);
const isWaiting = (seen: ProfileObject) =>
  conditionOf(seen, 'Ready')?.reason === 'Deleting' && remainingOf(seen).length > 0;

describe('a profile', () => {
  it('has the finalizer before it is open, by one write more', async () => {
    const mark = await auditMark(controlPlaneOfWorker());
    await put();
    const seen = await profileIs(isOpen);
    expect(seen.metadata.finalizers).toEqual([WORKLOADS_FINALIZER]);
    const entries = await auditBetween(controlPlaneOfWorker(), mark, await auditMark(controlPlaneOfWorker()));
    const writes = auditMatching(entries, {
      user: OPERATOR_USER,
      verb: WRITES,
      resource: 'runtimeprofiles',
      namespace,
    });
    expect(writes.map(({ objectRef }) => objectRef?.subresource ?? 'finalizers')).toEqual(['finalizers', 'status']);
    const live = await find(RUNTIME_PROFILES, PROFILE);
    const owners = live?.metadata.managedFields?.filter(({ manager }) => manager === 'agentplane-finalizer');
    expect(owners).toMatchObject([
      { operation: 'Apply', fieldsV1: { 'f:metadata': { 'f:finalizers': expect.anything() } } },
    ]);
  });

  it('goes at once when it governs nothing', async () => {
    await remove('runtimeprofile', PROFILE);
    await gone();
  });

  it('waits for its pods and their volumes, lists them, admits no more of them, and goes with the last', async () => {
    await put();
    await profileIs(isOpen);
    await run('agent');
    await site.kubectl.apply([volumeClaim({ namespace, name: 'data' })]);
    await remove('runtimeprofile', PROFILE);
    const waiting = await profileIs(isWaiting);
    expect(remainingOf(waiting)).toEqual(['Pod agent', 'PersistentVolumeClaim data']);
    expect(waiting.status?.admission).toMatchObject({
      open: false,
      message: expect.stringContaining('is being deleted'),
    });
    expect(waiting.status?.workloads).toMatchObject({ pods: 1, retainedVolumes: 1 });
    expect(conditionOf(waiting, 'Degraded')).toBeUndefined();
    const refused = await site.admin
      .create(PODS, aPod('late') as unknown as KubeObject, { fieldManager: 'test' })
      .catch(String);
    expect(refused).toMatch(/is being deleted/);
    await remove('pod', 'agent');
    // Counted once it has settled: nothing waits for this.
    await profileIs((seen) => remainingOf(seen).join() === 'PersistentVolumeClaim data', 30_000);
    expect(await find(VOLUME_CLAIMS, 'data')).toBeDefined();
    await remove('persistentvolumeclaim', 'data');
    await gone();
  }, 90_000);

  it('asks for help past its timeout, and stays', async () => {
    await put(namespace, 1);
    await profileIs(isOpen);
    await run('stubborn');
    await remove('runtimeprofile', PROFILE);
    const overdue = await profileIs((seen) => conditionOf(seen, 'Degraded')?.status === 'True');
    expect(conditionOf(overdue, 'Degraded')).toMatchObject({
      reason: 'CleanupRequiresOperatorAction',
      message: expect.stringMatching(
        /waited for more than 1 seconds.*status\.workloads\.remaining.*docs\/operations\/finalizers\.md/,
      ),
    });
    expect(remainingOf(overdue)).toEqual(['Pod stubborn']);
    expect(overdue.metadata.finalizers).toEqual([WORKLOADS_FINALIZER]);
    await remove('pod', 'stubborn');
    await gone();
  });

  it('waits on after a restart of the operator, in which the last pod ends as well', async () => {
    await put();
    await profileIs(isOpen);
    for (const name of ['first', 'last']) await run(name);
    expect(await operator.stop()).toBe(0);
    await remove('runtimeprofile', PROFILE);
    await remove('pod', 'first');
    operator = await site.startOperator();
    expect(remainingOf(await profileIs(isWaiting))).toEqual(['Pod last']);
    expect(await operator.stop()).toBe(0);
    await remove('pod', 'last');
    expect(await find(RUNTIME_PROFILES, PROFILE)).toBeDefined();
    operator = await site.startOperator();
    await gone(15_000);
  });

  it('goes although a backup that was restored owns the finalizer as well', async () => {
    const metadata = { finalizers: [WORKLOADS_FINALIZER] };
    await site.kubectl.apply([profileWith({ namespace, name: PROFILE }, {}, metadata)], '--field-manager=backup');
    await profileIs(isOpen);
    await remove('runtimeprofile', PROFILE);
    await gone();
  });
});

describe('by hand', () => {
  it('a profile is let go as the documentation says, whatever it governs', async () => {
    const text = await readFile(path.join(REPOSITORY, 'docs/operations/finalizers.md'), 'utf8');
    const [, patch = ''] =
      /kubectl patch runtimeprofile research -n team-a --type=json \\\n {2}-p '([^']*)'/.exec(text) ?? [];
    await put();
    await profileIs(isOpen);
    await run('left-behind');
    await remove('runtimeprofile', PROFILE);
    await profileIs(isWaiting);
    await site.kubectl.run('patch', 'runtimeprofile', PROFILE, '-n', namespace, '--type=json', '-p', patch);
    await gone();
    await remove('pod', 'left-behind');
  });
});

describe('without the right to let it go', () => {
  it('the profile stays, and says which is missing; it goes once that is granted again', async () => {
    await put();
    await profileIs(isOpen);
    const right = {
      namespace,
      role: 'agentplane-operator',
      apiGroup: 'agentplane.dev',
      resource: 'runtimeprofiles',
      verb: 'patch',
    };
    const giveBack = await revoke(site.admin, right);
    await remove('runtimeprofile', PROFILE);
    const seen = await profileIs((found) => conditionOf(found, 'Ready')?.message.includes('cannot be let go') === true);
    expect(conditionOf(seen, 'Ready')).toMatchObject({
      reason: 'Deleting',
      message: expect.stringContaining('cannot patch resource "runtimeprofiles"'),
    });
    const refused = { verb: 'patch', resource: 'runtimeprofiles.agentplane.dev', code: '403' };
    expect(await metricOf(operator, 'agentplane_kube_requests_total', refused)).toBeGreaterThan(0);
    await giveBack();
    await gone(60_000);
  }, 90_000);
});

describe('a namespace', () => {
  it('is deleted with its profile and the pods that it governs, within a minute', async () => {
    await put(DOOMED);
    await waitForProfile(site.kubectl, { namespace: DOOMED, name: PROFILE }, isOpen);
    await run('agent', DOOMED);
    await site.kubectl.apply([volumeClaim({ namespace: DOOMED, name: 'data' })]);
    await site.kubectl.run('delete', 'namespace', DOOMED, '--wait', '--timeout=60s');
    await put();
    await profileIs(isOpen);
    await remove('runtimeprofile', PROFILE);
    await gone();
  }, 90_000);
});
