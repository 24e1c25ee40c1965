/** Many profiles with bindings: what the operator writes and reads, counted from the audit log of the API server. */
import { beforeAll, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { isInForce } from '../../src/controllers/observable.ts';
import { RUNTIME_PROFILES, SECRET_BINDINGS } from '../../src/controllers/resources.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import {
  type AuditEntry,
  type AuditMark,
  auditBetween,
  auditCounts,
  auditMark,
  auditMatching,
  WRITES,
} from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { metricOf } from '../support/metrics.ts';
import type { Running } from '../support/process.ts';
import { type ProfileObject, profileWith, secretBinding } from '../support/profiles.ts';
import { OPERATOR_USER } from './support/governed-site.ts';
import { type Installation, install } from './support/installation.ts';

const namespace = 'many-profiles';
const PROFILES = 200;
const BINDINGS = 5;
const IDLE_MS = 20_000;
const SECRETS = Array.from({ length: BINDINGS }, (_, i) => `secret-${i}`);
const profileName = (i: number) => `profile-${String(i).padStart(3, '0')}`;
/** Its API is not there, and would be looked for now and then. */
const WITHOUT_CILIUM = ['--cilium', 'false'];
let site: Installation;
let operator: Running;

beforeAll(async () => {
  site = await install([namespace], { secrets: SECRETS, holdsProfiles: true });
  const metadata = (name: string) => ({ name, namespace });
  const secret = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(name),
    stringData: { token: 'x' },
  });
  await site.kubectl.apply(SECRETS.map(secret));
  operator = await site.startOperator(WITHOUT_CILIUM);
});

async function requestsSince(mark: AuditMark): Promise<readonly AuditEntry[]> {
  const entries = await auditBetween(controlPlaneOfWorker(), mark, await auditMark(controlPlaneOfWorker()));
  const own = auditMatching(entries, { user: OPERATOR_USER });
  return own.filter(({ objectRef }) => objectRef?.resource !== 'events' && objectRef?.resource !== 'leases');
}

const writesOf = (entries: readonly AuditEntry[]) => auditCounts(auditMatching(entries, { verb: WRITES }));

/** Until every profile is open, and lists the Secrets of all its bindings. */
async function waitForAllOpen(): Promise<void> {
  const isComplete = (seen: ProfileObject) => isInForce(seen) && seen.status?.admission?.secrets?.length === BINDINGS;
  await waitFor(`${PROFILES} profiles to be open`, { timeoutMs: 120_000, intervalMs: 250 }, async () => {
    const { items } = await site.admin.list(RUNTIME_PROFILES, { namespace });
    const complete = (items as ProfileObject[]).filter(isComplete).length;
    return complete === PROFILES ? { done: true, value: undefined } : { done: false, saw: `${complete} are` };
  });
}

async function createAll(): Promise<void> {
  const write = { fieldManager: 'test' };
  await site.kubectl.apply(
    Array.from({ length: PROFILES }, (_, i) => profileWith({ namespace, name: profileName(i) })),
  );
  const bindings = Array.from({ length: PROFILES }, (_, i) =>
    SECRETS.map((name) => {
      const spec = { profileRef: { name: profileName(i) }, secretRef: { name } };
      return secretBinding({ namespace, name: `${profileName(i)}-${name}` }, spec) as KubeObject;
    }),
  );
  for (const some of bindings)
    await Promise.all(some.map((object) => site.admin.create(SECRET_BINDINGS, object, write)));
}

describe(`${PROFILES} profiles with ${BINDINGS} bindings each`, () => {
  it('cost one look and one write for each binding, and few writes for each profile', async () => {
    const mark = await auditMark(controlPlaneOfWorker());
    await createAll();
    await waitForAllOpen();
    const requests = await requestsSince(mark);
    const { 'patch agentplane.dev/runtimeprofiles/status': statuses = 0, ...others } = writesOf(requests);
    expect(others).toEqual({
      'patch agentplane.dev/runtimeprofiles': PROFILES,
      'patch agentplane.dev/secretbindings/status': PROFILES * BINDINGS,
    });
    // The first, and one for what its bindings give: they come together. A machine that is busy takes a few more.
    expect(statuses).toBeGreaterThanOrEqual(PROFILES);
    expect(statuses).toBeLessThanOrEqual(3 * PROFILES);
    expect(auditCounts(auditMatching(requests, { verb: ['get', 'list'] }))).toEqual({
      'get secrets': PROFILES * BINDINGS,
    });
  }, 180_000);

  it('cost no write when the operator restarts: one list of each kind, and one look at each binding’s Secret', async () => {
    expect(await operator.stop()).toBe(0);
    const mark = await auditMark(controlPlaneOfWorker());
    operator = await site.startOperator(WITHOUT_CILIUM);
    const looked = { controller: 'secretbinding' };
    await waitUntil('every binding to have been looked at', { timeoutMs: 60_000, intervalMs: 200 }, async () => {
      const count = await metricOf(operator, 'agentplane_reconcile_duration_seconds_count', looked);
      return count >= PROFILES * BINDINGS;
    });
    const requests = await requestsSince(mark);
    expect(writesOf(requests)).toEqual({});
    expect(auditCounts(auditMatching(requests, { verb: ['get', 'list'] }))).toMatchObject({
      'get secrets': PROFILES * BINDINGS,
      'list agentplane.dev/runtimeprofiles': 1,
      // In two pages.
      'list agentplane.dev/secretbindings': 2,
      'list persistentvolumeclaims': 1,
      'list pods': 1,
    });
  }, 120_000);

  it(`and idle, nothing is read or written for ${IDLE_MS / 1000} seconds`, async () => {
    const mark = await auditMark(controlPlaneOfWorker());
    const end = performance.now() + IDLE_MS;
    await waitUntil(
      'the time to pass',
      { timeoutMs: IDLE_MS + 10_000, intervalMs: 500 },
      async () => performance.now() >= end,
    );
    const requests = await requestsSince(mark);
    expect(writesOf(requests)).toEqual({});
    expect(auditCounts(auditMatching(requests, { verb: ['get', 'list'] }))).toEqual({});
    expect(await operator.stop()).toBe(0);
  }, 60_000);
});
