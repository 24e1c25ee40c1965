/** Objects other than pods, by a tenant, and whatever the operator itself could be made to write. */
import { MANAGED_BY, MANAGED_BY_LABEL, PROFILE_LABEL } from '../../../src/api/meta.ts';
import { ACCOUNT, PROFILE } from '../../support/policies.ts';
import type { ApiRequest } from '../../support/raw-api.ts';
import { create, type DangerousRequest, DRY, patchPod } from './dangerous.ts';
import { IMAGE, pod } from './pod.ts';
import { OTHER_ACCOUNT } from './site.ts';

const networkPolicy = (name: string, spec: object, labels: object = {}) =>
  create('/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies', (namespace) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, namespace, labels },
    spec,
  }));
const configMap = (name: string, labels: object = {}) =>
  create('/api/v1/namespaces/NS/configmaps', (namespace) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
  }));
const deployment = (account: string) =>
  create('/apis/apps/v1/namespaces/NS/deployments', (namespace) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'agents', namespace },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { serviceAccountName: account, containers: [{ name: 'a', image: IMAGE }] },
      },
    },
  }));
/** Of an account that the platform admin has listed. */
const TOKEN_SECRET = 'listed-token';
const tokenOf = (account: string) => ({ metadata: { annotations: { 'kubernetes.io/service-account.name': account } } });
export const tokenSecret = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: { ...tokenOf(ACCOUNT).metadata, name: TOKEN_SECRET, namespace },
});
const roleBinding = create('/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings', (namespace) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'more', namespace },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'tenant' }],
}));
const patchProfile =
  (body: object, subresource = '') =>
  (namespace: string): ApiRequest => ({
    method: 'PATCH',
    path: `/apis/agentplane.dev/v1alpha1/namespaces/${namespace}/runtimeprofiles/${PROFILE}${subresource}?${DRY}`,
    contentType: 'application/merge-patch+json',
    body,
  });

const mergePatch =
  (path: string, body: object) =>
  (namespace: string): ApiRequest => ({
    method: 'PATCH',
    path: `${path.replace('NS', namespace)}?${DRY}`,
    contentType: 'application/merge-patch+json',
    body,
  });
const remove =
  (path: string) =>
  (namespace: string): ApiRequest => ({ method: 'DELETE', path: `${path.replace('NS', namespace)}?${DRY}` });
/** Of an account that the platform admin does not list. */
const secret = (type: string) =>
  create('/api/v1/namespaces/NS/secrets', (namespace) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type,
    metadata: { name: 'new', namespace, annotations: { 'kubernetes.io/service-account.name': OTHER_ACCOUNT } },
  }));

const ours = { [MANAGED_BY_LABEL]: MANAGED_BY };
const shut = { podSelector: {}, policyTypes: ['Egress'] };
const open = { podSelector: {}, policyTypes: ['Egress'], egress: [{}] };
const leavesOut = { matchExpressions: [{ key: PROFILE_LABEL, operator: 'DoesNotExist' }] };

export const OBJECT_REQUESTS: readonly DangerousRequest[] = [
  {
    what: 'a NetworkPolicy that opens the namespace',
    by: 'tenant',
    request: networkPolicy('open', open),
    twin: networkPolicy('open', { ...open, podSelector: leavesOut }),
    refused: /NetworkPolicy open: it allows egress, and network policies add up/,
  },
  {
    what: 'a NetworkPolicy with our label',
    by: 'tenant',
    request: networkPolicy('forged', shut, ours),
    twin: networkPolicy('mine', shut),
    refused: /NetworkPolicy forged: it is, or claims to be, managed by AgentPlane/,
  },
  {
    what: 'a ConfigMap with our label',
    by: 'tenant',
    request: configMap('forged', ours),
    twin: configMap('mine'),
    refused: /ConfigMap forged: it is, or claims to be, managed by AgentPlane/,
  },
  {
    what: 'a ConfigMap with the name of a tool policy',
    by: 'tenant',
    request: configMap('ap-bundle-forged'),
    twin: configMap('bundle'),
    refused: /ConfigMap ap-bundle-forged: it is, or claims to be, managed by AgentPlane/,
  },
  {
    what: 'a RoleBinding to cluster-admin',
    by: 'tenant',
    request: roleBinding,
    twin: configMap('mine'),
    refused: /cannot create resource "rolebindings"/,
  },
  {
    what: 'the status of a profile',
    by: 'tenant',
    request: patchProfile({ status: { admission: { generation: 1, open: true } } }, '/status'),
    twin: configMap('mine'),
    refused: /cannot patch resource "runtimeprofiles\/status"/,
  },
  {
    what: 'the floor removed',
    by: 'tenant',
    request: remove('/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies/agentplane-floor'),
    twin: networkPolicy('mine', shut),
    refused: /NetworkPolicy agentplane-floor: it is the egress floor of the namespace/,
  },
  {
    what: 'the floor emptied',
    by: 'tenant',
    request: mergePatch('/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies/agentplane-floor', {
      spec: { policyTypes: ['Ingress'] },
    }),
    twin: mergePatch('/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies/agentplane-floor', {
      metadata: { annotations: { note: 'x' } },
    }),
    refused: /NetworkPolicy agentplane-floor: it is the egress floor of the namespace/,
  },
  {
    what: 'a Secret that is filled with a token',
    by: 'tenant',
    request: secret('kubernetes.io/service-account-token'),
    twin: secret('Opaque'),
    refused: /it would be filled with a token of a ServiceAccount/,
  },
  {
    what: 'a Secret with a token turned to another account',
    by: 'tenant',
    request: mergePatch(`/api/v1/namespaces/NS/secrets/${TOKEN_SECRET}`, tokenOf(OTHER_ACCOUNT)),
    twin: mergePatch(`/api/v1/namespaces/NS/secrets/${TOKEN_SECRET}`, {
      ...tokenOf(ACCOUNT),
      stringData: { note: 'x' },
    }),
    refused: /it would be filled with a token of a ServiceAccount/,
  },
];

const operatorPod = create('/api/v1/namespaces/NS/pods', (namespace) => pod(namespace, 'by-operator'));
const byOperator = (
  what: string,
  request: DangerousRequest['request'],
  twin: DangerousRequest['twin'],
  refused: RegExp,
): DangerousRequest => ({
  what: `by the operator: ${what}`,
  by: 'operator',
  request,
  twin,
  refused,
});
const generated = networkPolicy('ap-egress-1', shut, ours);
const FENCED = /agentplane-operator may not/;

export const FENCE_REQUESTS: readonly DangerousRequest[] = [
  byOperator('a pod', operatorPod, generated, /agentplane-operator may not CREATE pods in namespace/),
  byOperator('a Deployment', deployment('free-agent'), generated, /agentplane-operator may not CREATE deployments/),
  byOperator(
    'a NetworkPolicy without our label',
    networkPolicy('stray', shut),
    generated,
    /agentplane-operator may not CREATE networkpolicies/,
  ),
  byOperator('a ConfigMap without our label', configMap('stray'), configMap('ap-bundle-1', ours), FENCED),
  byOperator('a RoleBinding', roleBinding, generated, FENCED),
  byOperator(
    'a token of an account',
    create('/api/v1/namespaces/NS/serviceaccounts/research-agent/token', () => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['a'] },
    })),
    generated,
    /agentplane-operator may not CREATE serviceaccounts\/token/,
  ),
  byOperator(
    'a Secret',
    create('/api/v1/namespaces/NS/secrets', (namespace) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace },
    })),
    generated,
    /agentplane-operator may not CREATE secrets/,
  ),
  byOperator(
    'the spec of a profile',
    patchProfile({ spec: { pod: { serviceAccountToken: 'Allowed' } } }),
    patchProfile({ metadata: { finalizers: ['agentplane.dev/governed-workloads'] } }),
    /agentplane-operator may not UPDATE runtimeprofiles/,
  ),
  byOperator(
    'an annotation of a pod',
    patchPod({ metadata: { annotations: { note: 'x' } } }),
    generated,
    /agentplane-operator may not UPDATE pods in namespace/,
  ),
];
