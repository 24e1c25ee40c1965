/** What the operator stands on is taken away under it and put back: a CRD, a governed namespace, its own token. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../../scripts/lib/wait-for.ts';
import { EgressPolicy } from '../../../src/api/egress-policy.ts';
import { isJudged } from '../../../src/controllers/observable.ts';
import { NETWORK_POLICIES, RUNTIME_PROFILES } from '../../../src/controllers/resources.ts';
import { isKubeError } from '../../../src/kube/errors.ts';
import type { Resource } from '../../../src/kube/types.ts';
import { type AuditEntry, auditMatching, WRITES } from '../../support/auditLog.ts';
import { applyCharts } from '../../support/claimed-charts.ts';
import { clientFor } from '../../support/client.ts';
import { cidrRule, profile } from '../../support/policies.ts';
import { type Supervised, supervise } from '../../support/supervised.ts';
import { INSTALL_NAMESPACE } from '../support/installation.ts';
import { mark, requestsSince } from './audit.ts';
import { applyPolicies, type FireSite, startFireSite, waitForPolicies, waitUntilLeading } from './site.ts';

const stays = 'lifecycle-stays';
const goes = 'lifecycle-goes';
const spec = { allow: [cidrRule] };
const HEAL_MS = 60_000;
const SERVICE_ACCOUNTS: Resource = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount' };
const ACCOUNT = { namespace: INSTALL_NAMESPACE, name: 'agentplane-operator' };

let site: FireSite;
let tokenFile: string;
let kubeconfig: string;
let operator: Supervised;

beforeAll(async () => {
  site = await startFireSite([stays, goes]);
  const direct = JSON.parse(await readFile(await site.kubeconfig('lifecycle'), 'utf8')) as {
    users: { name: string; user: { token?: string } }[];
  };
  kubeconfig = `${site.controlPlane.folder}/lifecycle.kubeconfig`;
  tokenFile = `${site.controlPlane.folder}/lifecycle.token`;
  await putToken(direct.users[0]?.user.token ?? '');
  // As in a pod: a file that somebody else replaces.
  const user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile } } };
  await writeFile(kubeconfig, JSON.stringify({ ...direct, users: [{ name: 'user', user }] }));
  operator = await supervise(() => site.launch(kubeconfig, 'lifecycle'));
  await waitUntilLeading(() => operator.running);
  await ready(stays, 'policy');
  await ready(goes, 'policy');
});

afterAll(() => operator.stop());

async function putToken(token: string): Promise<void> {
  await writeFile(`${tokenFile}.new`, token, { mode: 0o600 });
  await rename(`${tokenFile}.new`, tokenFile);
}

/** Creates the policy, or finds it, and waits until it is in force. */
async function ready(namespace: string, name: string, timeoutMs = 20_000): Promise<void> {
  await applyPolicies(site, namespace, { [name]: spec });
  await waitForPolicies(site, { namespace, names: [name] }, undefined, timeoutMs);
}

/** Requests for one kind in one namespace that failed: a storm would be hundreds. */
const failedOf = (requests: readonly AuditEntry[], resource: string, namespace: string) =>
  auditMatching(requests, { resource, namespace }).filter(({ responseStatus }) => (responseStatus?.code ?? 0) >= 400);

describe('the CRD of EgressPolicy', () => {
  it('goes and comes back: the other kinds go on meanwhile, and policies are in force again', async () => {
    const from = await mark();
    const crd = `${EgressPolicy.plural}.${EgressPolicy.group}`;
    await site.kubectl.run('delete', 'crd', crd, '--wait=true', '--timeout=60s');
    await site.kubectl.apply([profile(stays, 'meanwhile', 'meanwhile-agent')]);
    await waitUntil('a profile to be judged', { timeoutMs: 10_000, intervalMs: 50 }, async () => {
      const seen = await site.admin.get(RUNTIME_PROFILES, { namespace: stays, name: 'meanwhile' });
      return isJudged(seen);
    });
    await applyCharts(site.kubectl, { installNamespace: INSTALL_NAMESPACE, governedNamespaces: [stays, goes] });
    await ready(stays, 'policy', 35_000);
    await ready(goes, 'policy', 35_000);
    expect(failedOf(await requestsSince(from), EgressPolicy.plural, stays).length).toBeLessThan(15);
    expect(operator.exitCodes).toEqual([]);
  });
});

describe('a governed namespace', () => {
  it('terminates for a while, is gone, and comes back', async () => {
    const from = await mark();
    const held = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'held', namespace: goes, finalizers: ['example.com/wait'] },
    };
    await site.kubectl.apply([held]);
    await site.kubectl.run('delete', 'namespace', goes, '--wait=false');
    // The namespace controller begins anew, later each time, when an API changes under it, as in the test before.
    await waitUntil('its policies to be gone', { timeoutMs: 60_000, intervalMs: 50 }, async () => {
      return (await site.admin.list(NETWORK_POLICIES, { namespace: goes })).items.length === 0;
    });
    await ready(stays, 'while-terminating', 5000);
    await site.kubectl.run(
      'patch',
      'configmap',
      '-n',
      goes,
      'held',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    );
    await site.kubectl.run('wait', '--for=delete', `namespace/${goes}`, '--timeout=30s');
    const requests = await requestsSince(from);
    expect(auditMatching(requests, { verb: WRITES, namespace: goes }).length).toBeLessThan(15);
    await applyCharts(site.kubectl, { installNamespace: INSTALL_NAMESPACE, governedNamespaces: [stays, goes] });
    await site.kubectl.apply([profile(goes)]);
    await ready(goes, 'policy', HEAL_MS);
    expect(operator.exitCodes).toEqual([]);
  }, 180_000);
});

describe('the token of the operator', () => {
  it('is replaced in its file, and the old one refused: nothing has to be started again', async () => {
    const old = await readFile(tokenFile, 'utf8');
    const { metadata, ...account } = await site.admin.get(SERVICE_ACCOUNTS, ACCOUNT);
    // A token is bound to the UID of its account.
    await site.admin.delete(SERVICE_ACCOUNTS, ACCOUNT, { uid: metadata.uid ?? '' });
    const labels = metadata.labels ?? {};
    await site.admin.create(
      SERVICE_ACCOUNTS,
      { ...account, metadata: { ...ACCOUNT, labels } },
      { fieldManager: 'test' },
    );
    await refused(old);
    await putToken(await site.controlPlane.serviceAccountToken(ACCOUNT.namespace, ACCOUNT.name));
    await ready(stays, 'after-rotation', 10_000);
    expect(operator.exitCodes).toEqual([]);
    expect(operator.running.logs()).not.toContain(old);
  });
});

/** The API server remembers a good token for ten seconds. */
async function refused(token: string): Promise<void> {
  const direct = JSON.parse(await readFile(kubeconfig, 'utf8')) as object;
  const file = `${kubeconfig}.old`;
  await writeFile(file, JSON.stringify({ ...direct, users: [{ name: 'user', user: { token } }] }));
  const client = clientFor(file);
  await waitFor('the old token to be refused', { timeoutMs: 20_000, intervalMs: 200 }, async () => {
    try {
      await client.list(NETWORK_POLICIES, { namespace: stays });
      return { done: false, saw: 'it is taken' };
    } catch (error) {
      return isKubeError(error, 'Unauthorized')
        ? { done: true, value: undefined }
        : { done: false, saw: String(error) };
    }
  });
  await client.close();
}
