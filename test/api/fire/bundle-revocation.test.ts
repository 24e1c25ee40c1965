/** Every verb that tool policies need is taken away once: what is missing is named where it is missed, the rest goes on, and it heals. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorGoverned } from '../../../rbac/rules.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { POLICY_BUNDLES } from '../../../src/controllers/resources.ts';
import { type BundleObject, bundle, bundleReady, inline, toolRule } from '../../support/bundles.ts';
import { type FaultProxy, isWatch, startFaultProxy } from '../../support/fault-proxy.ts';
import { metricOf } from '../../support/metrics.ts';
import type { Running } from '../../support/process.ts';
import { mark, requestsSince } from './audit.ts';
import { type Right, revoke } from './rights.ts';
import { type FireSite, startFireSite, waitUntilLeading } from './site.ts';

const free = 'no-bundle-restriction';
const name = 'tools';

/** One namespace for each verb, so that all can be missing at the same time. */
const rights: readonly Right[] = operatorGoverned.rules
  .filter(({ resource }) => ['policybundles', 'policybundles/status', 'configmaps'].includes(resource))
  .flatMap(({ apiGroup, resource, verbs }) =>
    verbs.map((verb) => ({
      namespace: `bundle-no-${verb}-${resource.replace('/', '-')}`,
      role: operatorGoverned.role,
      apiGroup,
      resource,
      verb,
    })),
  );
const namespaces = [...rights.map(({ namespace }) => namespace), free];
const changed = inline({ ...toolRule, tools: ['get_issue'] });
const text = JSON.stringify({ rules: [toolRule] });
const referring = {
  source: {
    configMapRef: { name: 'rules', key: 'rules.json', sha256: createHash('sha256').update(text).digest('hex') },
  },
};

let site: FireSite;
let proxy: FaultProxy;
let operator: Running;

beforeAll(async () => {
  site = await startFireSite(namespaces);
  proxy = await startFaultProxy(site.controlPlane);
  operator = await site.launch(await site.kubeconfig('bundle-revocation', proxy), 'bundle-revocation');
  await waitUntilLeading(() => operator);
  await Promise.all(namespaces.map((namespace) => apply(namespace, inline(toolRule))));
  await Promise.all(namespaces.map((namespace) => bundleReady(site.kubectl, namespace, name)));
});

afterAll(async () => {
  await operator.kill('SIGKILL');
  await proxy.close();
});

async function apply(namespace: string, spec: Readonly<Record<string, unknown>>, as = name): Promise<void> {
  await site.kubectl.apply([bundle(namespace, as, spec)]);
}

/** Brings it about that the operator needs the right. */
async function provoke({ namespace, resource, verb }: Right): Promise<void> {
  if (resource === 'policybundles/status' || verb === 'create' || verb === 'delete') return apply(namespace, changed);
  if (verb !== 'get') return;
  const metadata = { name: 'rules', namespace };
  await site.kubectl.apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'rules.json': text } }]);
  await apply(namespace, referring);
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
  const [list] = rights.filter(({ verb }) => verb === 'list');
  if (list === undefined) throw new Error('there is no list to refuse');
  await waitFor('the list to be refused', { timeoutMs: 10_000, intervalMs: 50 }, async () => {
    const count = await refusalsOf(list);
    return count > 0 ? { done: true, value: undefined } : { done: false, saw: 'none' };
  });
  release();
}

/** In a condition of the bundle; where no status waits for it (a status that cannot be written, an older output that stays), in a metric. */
function expectNamed(right: Right): Promise<void> {
  const { namespace, resource, verb } = right;
  const inStatus = resource !== 'policybundles/status' && verb !== 'delete';
  const said = `cannot ${verb} resource "${resource}"`;
  return waitFor(`${said} in ${namespace}`, { timeoutMs: 45_000, intervalMs: 200 }, async () => {
    const refused = await refusalsOf(right);
    const { items } = await site.admin.list(POLICY_BUNDLES, { namespace });
    const messages = (items as BundleObject[]).flatMap(({ status }) => status?.conditions?.map((each) => each.message));
    const named = messages.some((message) => message?.includes(said));
    if (refused > 0 && (named || !inStatus)) return { done: true, value: undefined };
    return { done: false, saw: `${refused} refusals, ${JSON.stringify(messages)}` };
  });
}

async function expectHealed({ namespace }: Right): Promise<void> {
  await waitFor(`what is superseded in ${namespace} to be gone`, { timeoutMs: 75_000, intervalMs: 200 }, async () => {
    const { status } = await bundleReady(site.kubectl, namespace, name);
    return status?.superseded === undefined
      ? { done: true, value: undefined }
      : { done: false, saw: JSON.stringify(status) };
  });
}

describe('a missing verb', () => {
  it('is named where it is missed, nothing else stops, and it heals within a minute', async () => {
    const from = await mark();
    const giveBack = await Promise.all(rights.map((right) => revoke(site.admin, right)));
    await loseThePlace();
    await Promise.all(rights.map(provoke));
    await Promise.all(rights.map(expectNamed));
    await apply(free, changed);
    await bundleReady(site.kubectl, free, name);
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
