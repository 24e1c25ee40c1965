/** Every verb that profiles need for Secrets and for their deletion is taken away once: named where it is missed, the rest goes on, it heals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorGoverned } from '../../../rbac/rules.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { RUNTIME_PROFILES, SECRET_BINDINGS } from '../../../src/controllers/resources.ts';
import { isKubeError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { type FaultProxy, isWatch, startFaultProxy } from '../../support/fault-proxy.ts';
import { metricOf } from '../../support/metrics.ts';
import { conditionOf, type PolicyObject, PROFILE } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { isOpen, type ProfileObject, profileWith, secretBinding, waitForProfile } from '../../support/profiles.ts';
import { mark, requestsSince } from './audit.ts';
import { type Right, revoke } from './rights.ts';
import { type FireSite, startFireSite, waitUntilLeading } from './site.ts';

const free = 'profile-no-restriction';
const SECRET = 'model-key';

/** One namespace for each verb, so that all can be missing at the same time. */
const rights: readonly Right[] = operatorGoverned.rules
  .filter(({ resource, when }) => when === 'admission.enabled' || /^secret/.test(resource))
  .flatMap(({ apiGroup, resource, verbs }) =>
    verbs.map((verb) => ({
      namespace: `profile-no-${verb}-${resource.replace('/', '-')}`,
      role: operatorGoverned.role,
      apiGroup,
      resource,
      verb,
    })),
  );
const namespaces = [...rights.map(({ namespace }) => namespace), free];

let site: FireSite;
let proxy: FaultProxy;
let operator: Running;

beforeAll(async () => {
  site = await startFireSite(namespaces, { holdsProfiles: true, secrets: [SECRET] });
  proxy = await startFaultProxy(site.controlPlane);
  const kubeconfig = await site.kubeconfig('profile-revocation', proxy);
  const flags = ['--secret-retry-seconds', '5'];
  operator = await site.launch(kubeconfig, 'profile-revocation', { flags });
  await waitUntilLeading(() => operator);
  await site.kubectl.apply(namespaces.flatMap(everything));
  await Promise.all(namespaces.map((namespace) => opened(namespace)));
  await Promise.all(namespaces.map((namespace) => bound(namespace)));
});

afterAll(async () => {
  await operator.kill('SIGKILL');
  await proxy.close();
});

function everything(namespace: string): readonly object[] {
  const metadata = { name: SECRET, namespace };
  return [
    profileWith({ namespace, name: PROFILE }, { serviceAccountName: 'research-agent' }),
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { token: 'x', user: 'x' } },
    secretBinding({ namespace, name: SECRET }),
  ];
}

const opened = (namespace: string, name = PROFILE, timeoutMs?: number) =>
  waitForProfile(site.kubectl, { namespace, name }, isOpen, timeoutMs);

/** Until the newest spec of the binding is in force. */
function bound(namespace: string, timeoutMs = 20_000): Promise<void> {
  return waitFor(`the binding of ${namespace}`, { timeoutMs, intervalMs: 100 }, async () => {
    const seen = (await site.admin.get(SECRET_BINDINGS, { namespace, name: SECRET })) as PolicyObject;
    const ready = conditionOf(seen, 'Ready');
    const isNewest = ready?.observedGeneration === seen.metadata.generation;
    return isNewest && ready?.status === 'True'
      ? { done: true, value: undefined }
      : { done: false, saw: JSON.stringify(ready) };
  });
}

const rebind = (namespace: string) =>
  site.kubectl.apply([secretBinding({ namespace, name: SECRET }, { keys: ['user'] })]);
/** One that has not been open yet. */
const another = (namespace: string) => site.kubectl.apply([profileWith({ namespace, name: 'other' })]);
const remove = (namespace: string) =>
  site.kubectl.run('delete', 'runtimeprofile', '-n', namespace, PROFILE, '--wait=false');

/** Brings it about that the operator needs the right. */
async function provoke({ namespace, resource, verb }: Right): Promise<void> {
  if (resource === 'runtimeprofiles') await another(namespace);
  else if (resource === 'persistentvolumeclaims' && verb === 'list') await remove(namespace);
  else if (verb === 'get' || verb === 'patch') await rebind(namespace);
}

const refusalsOf = ({ apiGroup, resource, verb }: Right) => {
  const label = apiGroup === '' ? resource : resource.replace(/^[^/]+/, (plural) => `${plural}.${apiGroup}`);
  return metricOf(operator, 'agentplane_kube_requests_total', { verb, resource: label, code: '403' });
};

/** Every watch ends, and the place in it is lost: what may still be listed is, and what may not is refused. */
async function loseThePlace(): Promise<void> {
  const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  const release = proxy.answer(isWatch, 410, expired);
  proxy.disconnect();
  const lists = rights.filter(({ verb }) => verb === 'list');
  await waitFor('every list to be refused', { timeoutMs: 10_000, intervalMs: 50 }, async () => {
    const counts = await Promise.all(lists.map(refusalsOf));
    return counts.every((count) => count > 0) ? { done: true, value: undefined } : { done: false, saw: String(counts) };
  });
  release();
}

/** In a condition of a profile or binding; where no status waits for it (one that cannot be written, a volume that is not there), in a metric. */
function expectNamed(right: Right): Promise<void> {
  const { namespace, resource, verb } = right;
  const inStatus = !resource.endsWith('/status') && `${verb} ${resource}` !== 'watch persistentvolumeclaims';
  // Of a Secret it is said what to do, since that is up to the values of the chart.
  const said = resource === 'secrets' ? `may not get Secret ${SECRET}` : `cannot ${verb} resource "${resource}"`;
  return waitFor(`${said} in ${namespace}`, { timeoutMs: 45_000, intervalMs: 200 }, async () => {
    const refused = await refusalsOf(right);
    const lists = await Promise.all(
      [RUNTIME_PROFILES, SECRET_BINDINGS].map((of) => site.admin.list(of, { namespace })),
    );
    const objects = lists.flatMap(({ items }) => items as readonly (KubeObject & ProfileObject)[]);
    const messages = objects.flatMap(({ status }) => status?.conditions?.map(({ message }) => message));
    const named = messages.some((message) => message?.includes(said));
    if (refused > 0 && (named || !inStatus)) return { done: true, value: undefined };
    return { done: false, saw: `${refused} refusals, ${JSON.stringify(messages)}` };
  });
}

async function expectHealed({ namespace, resource, verb }: Right): Promise<void> {
  if (resource === 'runtimeprofiles') await opened(namespace, 'other', 60_000);
  if (resource === 'persistentvolumeclaims' && verb === 'list') return gone(namespace);
  await opened(namespace, PROFILE, 60_000);
  await bound(namespace, 60_000);
}

function gone(namespace: string): Promise<void> {
  return waitFor(`the profile of ${namespace} to be gone`, { timeoutMs: 60_000, intervalMs: 200 }, async () => {
    try {
      const { status } = await site.admin.get(RUNTIME_PROFILES, { namespace, name: PROFILE });
      return { done: false, saw: JSON.stringify(status) };
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return { done: true, value: undefined };
      throw error;
    }
  });
}

describe('a missing verb', () => {
  it('is named where it is missed, nothing else stops, and it heals within a minute', async () => {
    const from = await mark();
    const giveBack = await Promise.all(rights.map((right) => revoke(site.admin, right)));
    await loseThePlace();
    await Promise.all(rights.map(provoke));
    await Promise.all(rights.map(expectNamed));
    await another(free);
    await opened(free, 'other');
    const refused = (await requestsSince(from)).filter(({ responseStatus }) => responseStatus?.code === 403);
    // About ten in the first half minute, of a back-off that doubles.
    for (const { namespace } of rights) {
      expect(refused.filter(({ objectRef }) => objectRef?.namespace === namespace).length, namespace).toBeLessThan(15);
    }
    await Promise.all(giveBack.map((give) => give()));
    await Promise.all(rights.map(expectHealed));
    expect(operator.child.exitCode).toBeNull();
  }, 180_000);
});
