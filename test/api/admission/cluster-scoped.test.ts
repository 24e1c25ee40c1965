/** The fence around the operator also judges requests outside of namespaces, which have no key "namespace", and deletions, which have no object. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { ApiRequest } from '../../support/raw-api.ts';
import { DRY } from './dangerous.ts';
import { type AdmissionSite, admissionSite, OPERATOR, removePolicies, TENANT } from './site.ts';

const GOVERNED = 'cluster-scoped';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const EXISTING = 'cluster-scoped-test';
const role = (name: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules: [],
});
const requests: readonly (readonly [verb: string, request: ApiRequest])[] = [
  ['CREATE', { method: 'POST', path: `${ROLES}?${DRY}`, body: role('other') }],
  [
    'UPDATE',
    {
      method: 'PATCH',
      path: `${ROLES}/${EXISTING}?${DRY}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { labels: { a: 'b' } } },
    },
  ],
  ['DELETE', { method: 'DELETE', path: `${ROLES}/${EXISTING}?${DRY}` }],
];

let site: AdmissionSite;

beforeAll(async () => {
  site = await admissionSite({ governed: [GOVERNED] });
  const subjects = [OPERATOR, TENANT].map(({ name }) => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'User',
    name,
  }));
  await site.kubectl.apply([
    role(EXISTING),
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: EXISTING },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects,
    },
  ]);
});

afterAll(async () => {
  await site.kubectl.run('delete', 'clusterrole,clusterrolebinding', EXISTING);
  await removePolicies(site);
});

describe('outside of namespaces', () => {
  it.each(requests)(
    'the operator may not %s, whatever RBAC grants it: refused by the rule, not by an error in it',
    async (verb, request) => {
      // Its twin: another user with the same rights. The API server learns of a binding a moment later.
      await waitFor('another user to be let', { timeoutMs: 10_000, intervalMs: 100 }, async () => {
        const { status, body } = await site.api(request, TENANT);
        return status < 300 ? { done: true, value: undefined } : { done: false, saw: String(body.message) };
      });
      const { body } = await site.api(request, OPERATOR);
      expect(String(body.message)).toContain(`agentplane-operator may not ${verb} clusterroles in namespace ""`);
    },
  );
});
