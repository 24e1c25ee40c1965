/** SecretBindings on a real API server: what admission is told of Secrets, and that no value of one is ever in the process. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';
import { canonicalJson } from '../../src/compile/canonical.ts';
import { isJudged } from '../../src/controllers/observable.ts';
import { SECRET_BINDINGS } from '../../src/controllers/resources.ts';
import { METADATA_ACCEPT } from '../../src/kube/metadata.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type AuditMark, auditBetween, auditCounts, auditMark, auditMatching } from '../support/auditLog.ts';
import { controlPlaneOfWorker } from '../support/control-plane.ts';
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../support/fault-proxy.ts';
import { ACCOUNT, PROFILE, summary } from '../support/policies.ts';
import { launchCommand, type Running } from '../support/process.ts';
import { getProfile, isOpen, profileWith, secretBinding, waitForProfile } from '../support/profiles.ts';
import { kubeconfigOf, waitUntilLeading } from './fire/site.ts';
import { OPERATOR_USER } from './support/governed-site.ts';
import { INSTALL_NAMESPACE, type Installation, install } from './support/installation.ts';

const namespace = 'bound';
/** Beside the values of the chart: it exists, and nobody listed it. */
const UNLISTED = 'unlisted';
const LISTED = ['model-key', 'late', 'partial', 'gone'];
/** Nowhere but in Secrets, in any spelling. */
const CANARY = 'canary-7f3e9a51c2';
const CANARIES = [CANARY, Buffer.from(CANARY).toString('base64')];

let site: Installation;
let proxy: FaultProxy;
let operator: Running;
let folder: string;
let start: AuditMark;
const asked: ProxiedRequest[] = [];

beforeAll(async () => {
  site = await install([namespace], { secrets: LISTED });
  folder = await mkdtemp(path.join(tmpdir(), 'agentplane-heap-'));
  await site.kubectl.apply([profileWith({ namespace, name: PROFILE }, { serviceAccountName: ACCOUNT })]);
  await putSecret('model-key', { token: CANARY, user: CANARY });
  await putSecret(UNLISTED, { token: CANARY });
  start = await auditMark(controlPlaneOfWorker());
  proxy = await startFaultProxy(site.controlPlane);
  proxy.answer((request) => request.path.includes('/secrets') && asked.push(request) < 0, 500, {});
  const env = { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}` };
  const own = ['--identity', 'secrets', '--namespaces', namespace, '--install-namespace', INSTALL_NAMESPACE];
  const ports = ['--metrics-port', '0', '--health-port', '0'];
  const often = ['--secret-retry-seconds', '1', '--secret-recheck-seconds', '1', '--log-level', 'debug'];
  const kubeconfig = await kubeconfigOf(site, 'secrets', proxy);
  operator = await launchCommand('operator', [...own, ...ports, ...often], kubeconfig, { env });
  await waitUntilLeading(() => operator);
});

afterAll(async () => {
  await operator.kill('SIGKILL');
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

/** As most people do: the whole Secret, with its values, is then in an annotation as well. */
async function putSecret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const file = path.join(folder, `${name}.json`);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData: data };
  await writeFile(file, JSON.stringify(secret));
  await site.kubectl.run('apply', '-f', file);
  await rm(file);
}

const remove = (kind: string, name: string) => site.kubectl.run('delete', kind, '-n', namespace, name);
const bind = (name: string, spec: object) => site.kubectl.apply([secretBinding({ namespace, name }, spec)]);

function waitForBinding(name: string, ready: string): Promise<KubeObject> {
  return waitFor(`SecretBinding ${name} to be ${ready}`, { timeoutMs: 20_000, intervalMs: 50 }, async () => {
    const seen = await site.admin.get(SECRET_BINDINGS, { namespace, name });
    if (isJudged(seen) && summary(seen).Ready === ready) return { done: true, value: seen };
    return { done: false, saw: JSON.stringify(seen.status) };
  });
}

/** What admission is told. */
async function waitForSecrets(
  expected: readonly { readonly name: string; readonly keys: readonly string[] }[],
): Promise<void> {
  const wanted = canonicalJson(expected);
  await waitForProfile(site.kubectl, { namespace, name: PROFILE }, (seen) => {
    return isOpen(seen) && canonicalJson(seen.status?.admission?.secrets ?? []) === wanted;
  });
}

const MODEL_KEY = { name: 'model-key', keys: ['token'] };

describe('a Secret that is there, with its keys', () => {
  it('is what the example binds', async () => {
    await site.kubectl.run('apply', '-n', namespace, '-f', path.join(REPOSITORY, 'examples/secret-binding.yaml'));
    await waitForBinding('model-key', 'True/Ready');
    await waitForSecrets([MODEL_KEY]);
    await remove('secretbinding', 'model-key');
    await waitForSecrets([]);
  });

  it('is what pods may name, by the keys that bindings give', async () => {
    await bind('model-key', {});
    expect((await waitForBinding('model-key', 'True/Ready')).status).toMatchObject({ secret: { observed: 'Present' } });
    await waitForSecrets([MODEL_KEY]);
    await bind('model-user', { keys: ['user'] });
    await waitForSecrets([{ name: 'model-key', keys: ['token', 'user'] }]);
    await remove('secretbinding', 'model-user');
    await waitForSecrets([MODEL_KEY]);
  });

  it('is not what pods may name when a proxy alone may hold it, although that binding is Ready', async () => {
    await bind('proxied', { keys: ['user'], exposure: 'ProxyOnly' });
    await waitForBinding('proxied', 'True/Ready');
    await waitForSecrets([MODEL_KEY]);
  });

  it('follows the newest spec of its binding', async () => {
    await bind('model-key', { keys: ['user'] });
    await waitForBinding('model-key', 'True/Ready');
    await waitForSecrets([{ name: 'model-key', keys: ['user'] }]);
    await bind('model-key', {});
    await waitForSecrets([MODEL_KEY]);
  });
});

describe('a Secret that is not there', () => {
  it('is DependencyMissing, is found within the retry, and is missed again', async () => {
    await bind('late', { secretRef: { name: 'late' } });
    const missing = await waitForBinding('late', 'False/DependencyMissing');
    expect(missing.status).toMatchObject({ secret: { observed: 'Missing' } });
    await putSecret('late', { token: CANARY });
    await waitForBinding('late', 'True/Ready');
    await waitForSecrets([{ name: 'late', keys: ['token'] }, MODEL_KEY]);
    await remove('secret', 'late');
    await waitForBinding('late', 'False/DependencyMissing');
    await waitForSecrets([MODEL_KEY]);
    await remove('secretbinding', 'late');
  });

  it('is not enough without the key, and is with it', async () => {
    await putSecret('partial', { other: CANARY });
    await bind('partial', { secretRef: { name: 'partial' } });
    const seen = await waitForBinding('partial', 'False/DependencyMissing');
    expect(seen.status).toMatchObject({ secret: { observed: 'KeyMissing' } });
    await putSecret('partial', { other: CANARY, token: CANARY });
    await waitForBinding('partial', 'True/Ready');
    await remove('secretbinding', 'partial');
    await waitForSecrets([MODEL_KEY]);
  });
});

describe('a Secret that nobody listed', () => {
  it('is DependencyNotReadable, although it exists, and the message says where to list it', async () => {
    await bind(UNLISTED, { secretRef: { name: UNLISTED } });
    const seen = await waitForBinding(UNLISTED, 'Unknown/DependencyNotReadable');
    expect(seen.status).toMatchObject({ secret: { observed: 'NotReadable' } });
    expect(JSON.stringify(seen.status)).toContain('governedNamespaces[].secrets');
    await waitForSecrets([MODEL_KEY]);
    await remove('secretbinding', UNLISTED);
  });

  it('has no managed fields, and so says nothing of its keys, when somebody took them away', async () => {
    await putSecret('gone', { token: CANARY });
    const strip = '[{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]';
    await site.kubectl.run('patch', 'secret', '-n', namespace, 'gone', '--type=json', '-p', strip);
    await bind('gone', { secretRef: { name: 'gone' } });
    const seen = await waitForBinding('gone', 'Unknown/DependencyNotReadable');
    expect(JSON.stringify(seen.status)).toContain('no managedFields');
    await remove('secretbinding', 'gone');
  });
});

describe('the sixty-fifth binding', () => {
  const name = (i: number) => `many-${String(i).padStart(2, '0')}`;

  it('is refused by its bound, and takes the place that an older one leaves', async () => {
    const profile = { namespace, name: 'many' };
    await site.kubectl.apply([profileWith(profile)]);
    const spec = { profileRef: { name: 'many' }, secretRef: { name: 'model-key' } };
    await site.kubectl.apply(Array.from({ length: 64 }, (_, i) => secretBinding({ namespace, name: name(i) }, spec)));
    for (let i = 0; i < 64; i += 1) await waitForBinding(name(i), 'True/Ready');
    // Age has whole seconds: it has to be younger than the others.
    const { metadata } = await site.admin.get(SECRET_BINDINGS, { namespace, name: name(63) });
    await waitUntil('the second to pass', { timeoutMs: 2000, intervalMs: 20 }, async () => {
      return Date.now() >= Date.parse(metadata.creationTimestamp ?? '') + 1000;
    });
    await bind(name(64), spec);
    const refused = await waitForBinding(name(64), 'False/SubjectConflict');
    expect(JSON.stringify(refused.status)).toContain('has 64 older AgentReadable bindings');
    await remove('secretbinding', name(0));
    await waitForBinding(name(64), 'True/Ready');
    expect((await getProfile(site.kubectl, profile))?.status?.admission?.secrets).toEqual([MODEL_KEY]);
    await remove('runtimeprofile', 'many');
    await waitForBinding(name(64), 'False/DependencyMissing');
  }, 120_000);
});

describe('of Secrets', () => {
  it('the operator asks for nothing but the metadata of single ones, and gets only what is listed', async () => {
    const entries = await auditBetween(controlPlaneOfWorker(), start, await auditMark(controlPlaneOfWorker()));
    const own = auditMatching(entries, { user: OPERATOR_USER, resource: 'secrets' });
    expect(Object.keys(auditCounts(own))).toEqual(['get secrets']);
    const granted = own.filter(({ responseStatus }) => responseStatus?.code !== 403);
    expect([...new Set(granted.map(({ objectRef }) => objectRef?.name))].sort()).toEqual([...LISTED].sort());
    const refused = own.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect([...new Set(refused.map(({ objectRef }) => objectRef?.name))]).toEqual([UNLISTED]);
    for (const { userAgent, objectRef } of own) {
      expect(userAgent).toMatch(/^agentplane-operator\//);
      expect(objectRef?.namespace).toBe(namespace);
    }
    expect(asked.length).toBeGreaterThanOrEqual(own.length);
    expect(new Set(asked.map(({ method, accept }) => `${method} ${accept}`))).toEqual(
      new Set([`GET ${METADATA_ACCEPT}`]),
    );
    expect(asked.filter(({ path: at, query }) => !/\/secrets\/[^/]+$/.test(at) || query.size > 0)).toEqual([]);
  });

  it('no value is in a log line, an Event, a status, a metric or a generated object', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${operator.metricsPort}/metrics`)).text();
    const kinds = 'events,secretbindings,runtimeprofiles,configmaps,networkpolicies';
    const objects = await site.kubectl.run('get', kinds, '-n', namespace, '-o', 'json', '--show-managed-fields');
    const installed = await site.kubectl.run('get', 'events,leases', '-n', INSTALL_NAMESPACE, '-o', 'json');
    for (const [where, text] of Object.entries({ logs: operator.logs(), metrics, objects, installed })) {
      expect(text.length, where).toBeGreaterThan(200);
      for (const canary of CANARIES) expect(text.includes(canary), `${where}: ${canary}`).toBe(false);
    }
    expect(objects).toContain('model-key');
    expect(metrics).toContain('resource="secrets"');
  });

  it('no value is in the memory of the process; the name of one is', async () => {
    operator.child.kill('SIGUSR2');
    const heap = await snapshot();
    expect(heap.includes('model-key')).toBe(true);
    for (const canary of CANARIES) expect(heap.includes(canary), canary).toBe(false);
    expect(await operator.stop()).toBe(0);
  }, 120_000);
});

/** Written in pieces: whole once its size stays. */
async function snapshot(): Promise<string> {
  let size = -1;
  return waitFor('the heap snapshot', { timeoutMs: 90_000, intervalMs: 1000 }, async () => {
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.heapsnapshot'));
    const file = path.join(folder, name ?? '');
    const now = name === undefined ? 0 : (await stat(file)).size;
    const isWhole = now > 0 && now === size;
    size = now;
    return isWhole ? { done: true, value: await readFile(file, 'utf8') } : { done: false, saw: `${now} bytes` };
  });
}
