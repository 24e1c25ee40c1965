/** Every verb of the operator is taken away once while it runs: what is missing is named where it is missed, the rest goes on, and it heals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorGoverned } from '../../../rbac/rules.ts';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../../src/api/active.ts';
import { GROUP } from '../../../src/api/meta.ts';
import { identityHash, OUTPUT_SHORT_KIND } from '../../../src/compile/names.ts';
import { CILIUM_NETWORK_POLICIES, EGRESS_POLICIES, NETWORK_POLICIES } from '../../../src/controllers/resources.ts';
import { apiVersionOf, type Resource } from '../../../src/kube/types.ts';
import { type FaultProxy, isWatch, type Match, startFaultProxy } from '../../support/fault-proxy.ts';
import { metricOf } from '../../support/metrics.ts';
import { cidrRule, conditionOf, type PolicyObject, profile } from '../../support/policies.ts';
import type { Running } from '../../support/process.ts';
import { ciliumCluster } from '../../support/staged-cilium.ts';
import { stageCluster } from '../../support/staged-cluster.ts';
import { installCiliumCrd } from '../../support/without-nodes.ts';
import { INSTALL_NAMESPACE } from '../support/installation.ts';
import { mark, requestsSince } from './audit.ts';
import { type Right, revoke } from './rights.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies, waitUntilLeading } from './site.ts';

const OUTPUT_KINDS: Readonly<Record<string, Resource>> = {
  networkpolicies: NETWORK_POLICIES,
  ciliumnetworkpolicies: CILIUM_NETWORK_POLICIES,
};
const HEAL_MS = 60_000;
const free = 'no-restriction';

/** What tool policies need is taken away in bundle-revocation.test.ts, what profiles need for Secrets and deletion in profile-revocation.test.ts. */
const ELSEWHERE = [
  'policybundles',
  'policybundles/status',
  'configmaps',
  'secretbindings',
  'secretbindings/status',
  'secrets',
];

/** One namespace for each verb, so that all can be missing at the same time. */
const rights: readonly Right[] = operatorGoverned.rules
  .filter(({ resource, when }) => !ELSEWHERE.includes(resource) && when !== 'admission.enabled')
  .flatMap(({ apiGroup, resource, verbs }) =>
    verbs.map((verb) => ({
      namespace: `no-${verb}-${resource.replace('/', '-')}`,
      role: operatorGoverned.role,
      apiGroup,
      resource,
      verb,
    })),
  );
/** What is written depends on the provider: outputs are of one kind at a time. */
const needsCilium = ({ resource, verb }: Right) =>
  resource === 'ciliumnetworkpolicies' && !['list', 'watch'].includes(verb);

const name = 'policy';
const before = { allow: [cidrRule] };
const changed = { allow: [{ ...cidrRule, ports: [{ port: 8443 }] }] };
const invalid = {
  allow: [{ name: 'all', to: [{ cidr: { block: '0.0.0.0/0' } }], ports: [{ port: 443 }] }],
  onRefusal: 'DenyAll',
};

let site: FireSite;
let proxy: FaultProxy;
let operator: Running;

beforeAll(async () => {
  site = await startFireSite([...rights.map(({ namespace }) => namespace), free]);
  await installCiliumCrd(site);
  proxy = await startFaultProxy(site.controlPlane);
  const kubeconfig = await site.kubeconfig('revocation', proxy);
  operator = await site.launch(kubeconfig, 'revocation', { cilium: true });
  await waitUntilLeading(() => operator);
  await everywhere([...rights.map(({ namespace }) => namespace), free], NETWORK_POLICIES.kind);
});

afterAll(async () => {
  await operator.kill('SIGKILL');
  await proxy.close();
});

async function everywhere(namespaces: readonly string[], kind: string): Promise<void> {
  const inForce = (seen: PolicyObject) =>
    isActive(seen as Observable) && seen.status?.inForce?.outputs.every((output) => output.kind === kind) === true;
  await Promise.all(namespaces.map((namespace) => applyPolicies(site, namespace, { [name]: before })));
  await Promise.all(namespaces.map((namespace) => waitForPolicies(site, { namespace, names: [name] }, inForce)));
}

/** Brings it about that the operator needs the right. */
async function provoke({ namespace, resource, verb }: Right): Promise<void> {
  const output = OUTPUT_KINDS[resource];
  if (resource === 'runtimeprofiles/status') await site.kubectl.apply([profile(namespace, 'other', 'other-agent')]);
  else if (output === undefined || verb === 'patch') await applyPolicies(site, namespace, { [name]: changed });
  else if (verb === 'delete') await applyPolicies(site, namespace, { [name]: invalid });
  else if (verb === 'create') await deleteOutput(namespace, output);
  else if (verb === 'get') await meetUnseen(namespace, output);
}

async function deleteOutput(namespace: string, resource: Resource): Promise<void> {
  const policy = await site.admin.get(EGRESS_POLICIES, { namespace, name });
  const [output] = (policy as PolicyObject).status?.inForce?.outputs ?? [];
  if (output !== undefined) await site.admin.delete(resource, { namespace, name: output.name }, { uid: output.uid });
}

/** A stranger has the name of an output, and the cache has not seen it: as after a create whose answer was lost. */
async function meetUnseen(namespace: string, resource: Resource): Promise<void> {
  const id = `unseen-${resource.plural}`;
  const owner = { kind: 'EgressPolicy', namespace, name: 'unseen', uid: '', id };
  const watch: Match = (request) =>
    isWatch(request) && request.path.endsWith(`/namespaces/${namespace}/${resource.plural}`);
  await proxy.watched(watch);
  proxy.mute(watch);
  const metadata = { namespace, name: `ap-${OUTPUT_SHORT_KIND}-${identityHash(owner)}` };
  const selector = resource === NETWORK_POLICIES ? { podSelector: {} } : { endpointSelector: {}, ingress: [{}] };
  const stranger = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, spec: selector };
  await site.admin.create(resource, stranger, { fieldManager: 'test' });
  await applyPolicies(site, namespace, { unseen: { ...before, id } });
}

const refusalsOf = ({ apiGroup, resource, verb }: Right) => {
  const label = apiGroup === '' ? resource : resource.replace(/^[^/]+/, (plural) => `${plural}.${apiGroup}`);
  return metricOf(operator, 'agentplane_kube_requests_total', { verb, resource: label, code: '403' });
};

/** Every watch ends, and the place in it is lost: what may still be listed is, and what may not is refused. */
async function loseThePlace(missing: readonly Right[]): Promise<void> {
  const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
  const release = proxy.answer(isWatch, 410, expired);
  proxy.disconnect();
  const lists = missing.filter(({ verb }) => verb === 'list');
  await waitFor('every list to be refused', { timeoutMs: 10_000, intervalMs: 50 }, async () => {
    const refused = await Promise.all(lists.map(refusalsOf));
    return refused.every((count) => count > 0)
      ? { done: true, value: undefined }
      : { done: false, saw: String(refused) };
  });
  release();
}

/** Where a missing right shows: in a condition of a policy of its namespace, or, where nothing waits for it, in a metric alone. */
function expectNamed(right: Right): Promise<void> {
  const { namespace, apiGroup, resource, verb } = right;
  const inStatus = resource in OUTPUT_KINDS || (apiGroup === GROUP && !resource.endsWith('/status'));
  const text = `cannot ${verb} resource "${resource}"`;
  return waitFor(`${text} in ${namespace}`, { timeoutMs: 30_000, intervalMs: 200 }, async () => {
    const refused = await refusalsOf(right);
    const { items } = await site.admin.list(EGRESS_POLICIES, { namespace });
    const messages = (items as PolicyObject[]).flatMap(({ status }) => status?.conditions?.map((item) => item.message));
    const named = messages.some((message) => message?.includes(text));
    if (refused > 0 && (named || !inStatus)) return { done: true, value: undefined };
    return { done: false, saw: `${refused} refusals, ${JSON.stringify(messages)}` };
  });
}

function expectRefused(right: Right): Promise<void> {
  return waitFor(`a refused ${right.verb}`, { timeoutMs: 10_000, intervalMs: 50 }, async () => {
    const count = await refusalsOf(right);
    return count > 0 ? { done: true, value: undefined } : { done: false, saw: 'none' };
  });
}

async function expectHealed({ namespace, resource, verb }: Right): Promise<void> {
  if (verb === 'get' && resource in OUTPUT_KINDS) {
    const reason = (seen: PolicyObject) => conditionOf(seen, 'Ready')?.reason === 'OwnershipConflict';
    await waitForPolicies(site, { namespace, names: ['unseen'] }, reason, HEAL_MS);
  } else if (verb === 'delete' && resource in OUTPUT_KINDS) {
    const shut = (seen: PolicyObject) =>
      conditionOf(seen, 'Ready')?.reason === 'InvalidPolicy' && !seen.status?.inForce;
    await waitForPolicies(site, { namespace, names: [name] }, shut, HEAL_MS);
  } else {
    await waitForPolicies(site, { namespace, names: [name] }, undefined, HEAL_MS);
  }
}

async function takeAndGiveBack(missing: readonly Right[]): Promise<void> {
  const from = await mark();
  const giveBack = await Promise.all(missing.map((right) => revoke(site.admin, right)));
  await loseThePlace(missing);
  await Promise.all(missing.map(provoke));
  await Promise.all(missing.map(expectNamed));
  await applyPolicies(site, free, { [name]: changed });
  await waitForPolicies(site, { namespace: free, names: [name] }, undefined, 5000);
  const refused = (await requestsSince(from)).filter(({ responseStatus }) => responseStatus?.code === 403);
  // About ten in the first half minute, of a back-off that doubles.
  for (const { namespace } of missing) {
    expect(refused.filter(({ objectRef }) => objectRef?.namespace === namespace).length, namespace).toBeLessThan(15);
  }
  await Promise.all(giveBack.map((give) => give()));
  await Promise.all(missing.map(expectHealed));
  expect(operator.child.exitCode).toBeNull();
}

describe('a missing verb', () => {
  it(`is named where it is missed, and nothing else stops`, async () => {
    await takeAndGiveBack(rights.filter((right) => !needsCilium(right)));
  }, 150_000);

  it('is named for the outputs of Cilium as well', async () => {
    await stageCluster(site.admin, ciliumCluster());
    const inventory = await site.startInventory();
    await inventory.stop();
    const missing = rights.filter(needsCilium);
    await everywhere([...missing.map(({ namespace }) => namespace), free], CILIUM_NETWORK_POLICIES.kind);
    await takeAndGiveBack(missing);
  }, 150_000);
});

describe('the CRD of the outputs', () => {
  it('goes: nothing is said to be in force; and comes back: it is again', async () => {
    await site.kubectl.run('delete', 'crd', 'ciliumnetworkpolicies.cilium.io', '--wait=true', '--timeout=60s');
    const untrue = (seen: PolicyObject) =>
      !isActive(seen as Observable) && conditionOf(seen, 'Applied')?.status !== 'True';
    await waitForPolicies(site, { namespace: free, names: [name] }, untrue, 10_000);
    await installCiliumCrd(site);
    await waitForPolicies(site, { namespace: free, names: [name] }, undefined, HEAL_MS);
    expect(operator.child.exitCode).toBeNull();
  }, 100_000);
});

describe('a missing verb on the Lease', () => {
  const lease = (verb: string): Right => ({
    namespace: INSTALL_NAMESPACE,
    role: 'agentplane-operator-install',
    apiGroup: 'coordination.k8s.io',
    resource: 'leases',
    verb,
  });
  it('patch: the leader goes on until its time is over, and renews once it may', async () => {
    const giveBack = await revoke(site.admin, lease('patch'));
    await expectRefused(lease('patch'));
    await giveBack();
    await applyPolicies(site, free, { [name]: before });
    await waitForPolicies(site, { namespace: free, names: [name] }, undefined, 5000);
    expect(operator.child.exitCode).toBeNull();
  });

  it.each(['get', 'create'])('%s: a candidate waits, and leads once it may', async (verb) => {
    await operator.stop();
    if (verb === 'create') await site.kubectl.run('delete', 'lease', '-n', INSTALL_NAMESPACE, 'agentplane-operator');
    const giveBack = await revoke(site.admin, lease(verb));
    operator = await site.launch(await site.kubeconfig('revocation', proxy), 'revocation', { cilium: true });
    await expectRefused(lease(verb));
    expect(await metricOf(operator, 'agentplane_leading')).toBe(0);
    await giveBack();
    await waitUntilLeading(() => operator, 10_000);
  });
});

describe('a missing verb on the capability report', () => {
  it.each(['list', 'watch'])('%s: shows in the metric, and what is known stays', async (verb) => {
    const role = 'agentplane-operator-install';
    const right = { namespace: INSTALL_NAMESPACE, role, apiGroup: GROUP, resource: 'capabilityreports', verb };
    const giveBack = await revoke(site.admin, right);
    await loseThePlace([right]);
    await expectRefused(right);
    await giveBack();
    await waitForPolicies(site, { namespace: free, names: [name] });
  });
});
