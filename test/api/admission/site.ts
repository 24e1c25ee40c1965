/** Two governed namespaces that differ in one thing: in the second, no admission policy holds. */
import { waitFor } from '../../../scripts/lib/wait-for.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { admissionSettled } from '../../support/admission-settled.ts';
import { applyCharts } from '../../support/claimed-charts.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { type Kubectl, kubectlFor } from '../../support/kubectl.ts';
import { ACCOUNT, PROFILE } from '../../support/policies.ts';
import { type ApiUser, type RawApi, rawApi } from '../../support/raw-api.ts';
import { forgetReports } from '../../support/without-nodes.ts';
import { BOUND_SECRET, openStatus, pod, RUNTIME_CLASS, strictProfile } from './pod.ts';

/** Not the install of the other files of this level: its operator is fenced in, in every namespace. */
export const INSTALL_NAMESPACE = 'agentplane-admission';
export const OPERATOR: ApiUser = serviceAccount(INSTALL_NAMESPACE, 'agentplane-operator');
const BARE_INSTALL = 'agentplane-bare';
/** The operator of the namespaces without admission policies. */
export const BARE_OPERATOR: ApiUser = serviceAccount(BARE_INSTALL, 'agentplane-operator');
export const INVENTORY: ApiUser = serviceAccount(INSTALL_NAMESPACE, 'agentplane-inventory');
/** Holds `edit`, the verb `use` on every profile, and the subresources of pods. */
export const TENANT: ApiUser = { name: 'tenant', groups: ['system:authenticated'] };
export const OTHER_PROFILE = 'other';
export const OTHER_ACCOUNT = 'other-agent';
export const RUNNING = 'running';

export function serviceAccount(namespace: string, name: string): ApiUser {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

export interface AdmissionSite {
  readonly kubectl: Kubectl;
  readonly api: RawApi;
}

export interface SiteOptions {
  /** Where admission policies hold. */
  readonly governed: readonly string[];
  /** The same, without them. */
  readonly bare?: readonly string[];
  /** Objects from before the policies. */
  readonly before?: readonly object[];
  /** More values of the chart agentplane-cluster. */
  readonly values?: Readonly<Record<string, string | readonly string[]>>;
}

/** Charts, tenants and profiles; every profile open; one pod of the profile in each namespace. */
export async function admissionSite({
  governed,
  bare = [],
  before = [],
  values = {},
}: SiteOptions): Promise<AdmissionSite> {
  const embedded = controlPlaneOfWorker();
  const kubectl = kubectlFor(embedded.kubectl, embedded.kubeconfigPath);
  const namespaces = [...governed, ...bare];
  // Of an install of its own: a fence holds in every namespace.
  if (bare.length > 0) await applyCharts(kubectl, { installNamespace: BARE_INSTALL, governedNamespaces: bare });
  const ungoverned = { installNamespace: INSTALL_NAMESPACE, governedNamespaces: governed, secrets: [BOUND_SECRET] };
  await applyCharts(kubectl, ungoverned);
  await forgetReports(kubectl);
  await kubectl.apply([
    { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: RUNTIME_CLASS }, handler: 'none' },
    ...namespaces.flatMap(tenancy),
    ...before,
  ]);
  await applyCharts(kubectl, {
    ...ungoverned,
    admission: { namespaces: governed, values: { runtimeClasses: [RUNTIME_CLASS], ...values } },
  });
  await admissionSettled(kubectl);
  const site: AdmissionSite = { kubectl, api: await rawApi(embedded.kubeconfigPath) };
  for (const namespace of namespaces) {
    await kubectl.apply([
      strictProfile(namespace),
      strictProfile(namespace, OTHER_PROFILE, OTHER_ACCOUNT, { serviceAccountToken: 'Allowed' }),
    ]);
    const operator = governed.includes(namespace) ? OPERATOR : BARE_OPERATOR;
    for (const name of [PROFILE, OTHER_PROFILE]) await openProfile(site, namespace, name, operator);
    await waitUntilAdmitted(site, namespace);
    await kubectl.apply([pod(namespace, RUNNING)]);
  }
  return site;
}

/** Policies outlive the namespaces that they are for, and the other files of this level want none. */
export async function removePolicies({ kubectl }: Pick<AdmissionSite, 'kubectl'>): Promise<void> {
  const kinds = 'validatingadmissionpolicybinding,validatingadmissionpolicy,clusterrolebinding,clusterrole';
  await kubectl.run('delete', kinds, '-l', 'app.kubernetes.io/part-of=agentplane', '--ignore-not-found');
  await admissionSettled(kubectl);
}

/** As the operator does, in its name: nobody else may. */
export async function openProfile(
  { kubectl, api }: AdmissionSite,
  namespace: string,
  name: string,
  operator = OPERATOR,
): Promise<void> {
  const profile = await kubectl.get<KubeObject>('runtimeprofile', '-n', namespace, name);
  const path = `/apis/agentplane.dev/v1alpha1/namespaces/${namespace}/runtimeprofiles/${name}`;
  await writeStatus(api, path, openStatus(profile?.metadata.generation ?? 0), operator);
}

/** A status, in the operator's name. */
export async function writeStatus(api: RawApi, path: string, status: unknown, operator = OPERATOR): Promise<void> {
  const patch = { method: 'PATCH', path: `${path}/status`, contentType: 'application/merge-patch+json' } as const;
  const answer = await api({ ...patch, body: { status } }, operator);
  if (answer.status !== 200) throw new Error(`the status was not written: ${JSON.stringify(answer.body)}`);
}

/** The API server takes a moment to see new policies, parameters and rights. */
export async function waitUntilAdmitted({ api }: AdmissionSite, namespace: string): Promise<void> {
  await waitFor('a pod to be admitted', { timeoutMs: 30_000, intervalMs: 100 }, async () => {
    const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
    const { status, body } = await api({ method: 'POST', path, body: pod(namespace, 'first') }, TENANT);
    return status === 201 ? { done: true, value: undefined } : { done: false, saw: String(body.message) };
  });
}

function tenancy(namespace: string): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const inNamespace = (kind: string, name: string, rest: object) => ({
    apiVersion: `${apiGroup}/v1`,
    kind,
    metadata: { name, namespace },
    ...rest,
  });
  const subjects = [{ apiGroup, kind: 'User', name: TENANT.name }];
  const role = (name: string) => ({ apiGroup, kind: 'Role', name });
  const accounts = [ACCOUNT, OTHER_ACCOUNT, 'free-agent'];
  return [
    ...accounts.map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })),
    inNamespace('RoleBinding', 'tenant-edit', { subjects, roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' } }),
    inNamespace('Role', 'tenant-more', {
      rules: [
        { apiGroups: ['agentplane.dev'], resources: ['runtimeprofiles'], verbs: ['use'] },
        { apiGroups: [''], resources: ['pods/status', 'pods/ephemeralcontainers', 'pods/resize'], verbs: ['patch'] },
      ],
    }),
    inNamespace('RoleBinding', 'tenant-more', { subjects, roleRef: role('tenant-more') }),
  ];
}
