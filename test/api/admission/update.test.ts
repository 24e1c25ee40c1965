/** With every policy bound, nothing wedges: what was there before can change, end and go, and a namespace can be deleted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor, waitUntil } from '../../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { PROFILE } from '../../support/policies.ts';
import type { ApiAnswer, ApiRequest } from '../../support/raw-api.ts';
import { pod, strictProfile } from './pod.ts';
import { type AdmissionSite, admissionSite, OPERATOR, RUNNING, removePolicies, TENANT } from './site.ts';

const GOVERNED = 'updates';
const DELETED = 'updates-deleted';
const HELD = 'updates-held';
const OLD = 'from-before';
const FINALIZER = 'agentplane.dev/governed-workloads';

let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({
    governed: [GOVERNED, DELETED, HELD],
    // Breaks every rule that there is: no admission policy held when it was made.
    before: [
      pod(GOVERNED, OLD, { labels: {}, context: { readOnlyRootFilesystem: false }, spec: { hostNetwork: true } }),
    ],
  });
});

afterAll(() => removePolicies(site));

const merge = (path: string, body: object): ApiRequest => ({
  method: 'PATCH',
  path,
  contentType: 'application/merge-patch+json',
  body,
});
const podPath = (name: string, namespace = GOVERNED) => `/api/v1/namespaces/${namespace}/pods/${name}`;
const profilePath = (namespace: string) =>
  `/apis/agentplane.dev/v1alpha1/namespaces/${namespace}/runtimeprofiles/${PROFILE}`;
const said = ({ status, body }: ApiAnswer): string => `${status} ${body.message ?? ''}`;

describe('a pod that breaks every rule, from before the policies', () => {
  it('could not be made now', async () => {
    const again = pod(GOVERNED, 'again', { labels: {}, context: { readOnlyRootFilesystem: false } });
    const answer = await site.api({ method: 'POST', path: `/api/v1/namespaces/${GOVERNED}/pods`, body: again }, TENANT);
    expect(answer.status).toBe(403);
  });

  it('gets a finalizer, and loses it', async () => {
    const finalizers = (list: readonly string[]) => merge(podPath(OLD), { metadata: { finalizers: list } });
    expect(said(await site.api(finalizers(['example.com/hold'])))).toBe('200 ');
    expect(said(await site.api(finalizers([])))).toBe('200 ');
  });

  it('gets annotations, and other labels than that of a profile', async () => {
    const body = { metadata: { annotations: { note: 'x' }, labels: { app: 'agent' } } };
    expect(said(await site.api(merge(podPath(OLD), body), TENANT))).toBe('200 ');
  });

  it('finishes: its status is written', async () => {
    const body = { status: { phase: 'Succeeded' } };
    expect(said(await site.api(merge(`${podPath(OLD)}/status`, body)))).toBe('200 ');
  });

  it('is deleted by its tenant', async () => {
    expect((await site.api({ method: 'DELETE', path: podPath(OLD) }, TENANT)).status).toBe(200);
    expect((await site.api({ method: 'GET', path: podPath(OLD) })).status).toBe(404);
  });
});

describe('a governed pod', () => {
  it('is deleted by its tenant', async () => {
    expect((await site.api({ method: 'DELETE', path: podPath(RUNNING) }, TENANT)).status).toBe(200);
  });
});

async function namespaceIsGone(name: string): Promise<void> {
  await waitUntil(`namespace ${name} to be gone`, { timeoutMs: 60_000, intervalMs: 200 }, async () => {
    return (await site.api({ method: 'GET', path: `/api/v1/namespaces/${name}` })).status === 404;
  });
}

describe('a governed namespace', () => {
  it('is deleted within a minute', async () => {
    await site.api({ method: 'DELETE', path: `/api/v1/namespaces/${DELETED}` });
    await namespaceIsGone(DELETED);
  }, 90_000);

  it('keeps the rights of the operator until the operator has let go of its profiles, and is then gone within a minute', async () => {
    const hold = merge(profilePath(HELD), { metadata: { finalizers: [FINALIZER] } });
    expect(said(await site.api(hold))).toBe('200 ');
    await site.api({ method: 'DELETE', path: `/api/v1/namespaces/${HELD}` });
    await waitFor('the refusal of the namespace controller', { timeoutMs: 30_000, intervalMs: 200 }, async () => {
      const namespace = await site.kubectl.get<KubeObject>('namespace', HELD);
      const text = JSON.stringify(namespace?.status);
      return /RuntimeProfile research is still held by/.test(text)
        ? { done: true, value: text }
        : { done: false, saw: text };
    });
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${HELD}/rolebindings/agentplane-operator`;
    expect((await site.api({ method: 'GET', path: bindings })).status).toBe(200);
    // In the operator's name: the rights that were kept are what this needs.
    const release = await waitFor('the operator to let go', { timeoutMs: 10_000, intervalMs: 200 }, async () => {
      const answer = await site.api(merge(profilePath(HELD), { metadata: { finalizers: [] } }), OPERATOR);
      return answer.status === 200 ? { done: true, value: answer } : { done: false, saw: said(answer) };
    });
    expect(release.status).toBe(200);
    await namespaceIsGone(HELD);
  }, 120_000);
});

describe('a profile', () => {
  it('takes a newer spec from its author while pods of it run', async () => {
    const profile = strictProfile(GOVERNED);
    const newer = { ...profile, spec: { ...profile.spec, deletion: { timeoutSeconds: 60 } } };
    await site.kubectl.apply([newer]);
    const path = `/api/v1/namespaces/${GOVERNED}/pods`;
    const refused = await waitFor('the newer generation to close', { timeoutMs: 10_000, intervalMs: 100 }, async () => {
      const answer = await site.api(
        { method: 'POST', path: `${path}?dryRun=All`, body: pod(GOVERNED, 'late') },
        TENANT,
      );
      return answer.status === 403 ? { done: true, value: answer } : { done: false, saw: said(answer) };
    });
    expect(refused.body.message).toMatch(
      /RuntimeProfile research: generation 2 is not in force; in force for admission is generation 1/,
    );
  });
});
