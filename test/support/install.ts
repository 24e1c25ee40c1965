/** Installs the three charts on a real cluster as docs/operations.md says: a platform admin first, then a namespace admin. */
import path from 'node:path';
import type { JsonMap } from '../../constructs/expr/json.ts';
import type { BuiltImage } from '../../scripts/image/image.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { synthStatic } from '../../scripts/synth/synth-static.ts';
import type { Helm } from './helm.ts';
import type { Kubectl } from './kubectl.ts';
import { previousChart } from './releases.ts';

/** Who installs `agentplane`: holds the built-in role admin, and what the chart's own Roles grant, in its namespaces alone. */
const NAMESPACE_ADMIN = 'namespace-admin';
const RELEASE = 'agentplane';
/** Namespace in which Helm keeps the releases of the platform admin. Their objects are elsewhere. */
export const PLATFORM_NAMESPACE = 'default';
const PLATFORM_CHARTS = ['agentplane-crds', 'agentplane-cluster'] as const;
const TIMEOUT = '--timeout=240s';

/** Namespaces of the installs that may share one test cluster: the demo must survive a test run, and the reverse. */
const INSTALLS = { demo: 'agentplane', test: 'agentplane-test', admission: 'agentplane-admission' } as const;

/** Namespaces in which the admission policies hold for an install. Always all of them: the platform has one release for all installs. */
const ADMISSION: Readonly<Record<keyof typeof INSTALLS, readonly string[]>> = {
  demo: ['team-a'],
  test: [],
  admission: ['cluster-admission'],
};

/** Of those that Kubernetes makes pods with, all but one: what a controller meets that is not listed is shown by StatefulSets. */
const POD_CONTROLLERS = ['deployment-controller', 'replicaset-controller', 'job-controller'].map(
  (name) => `system:serviceaccount:kube-system:${name}`,
);

export interface InstallOptions {
  readonly kubectl: Kubectl;
  readonly helm: Helm;
  readonly image: BuiltImage;
  readonly install: keyof typeof INSTALLS;
  readonly governedNamespaces: readonly string[];
  /** More values of the chart agentplane. */
  readonly values?: JsonMap;
  /** The charts of the released version before this one, in place of those that are here. */
  readonly previous?: boolean;
}

export function installNamespace(install: keyof typeof INSTALLS): string {
  return INSTALLS[install];
}

/** Returns when the CRDs are served and both Deployments are available. What is installed already is upgraded. */
export async function installAgentPlane(options: InstallOptions): Promise<void> {
  const { helm, kubectl, governedNamespaces, previous = false } = options;
  const namespace = installNamespace(options.install);
  await kubectl.apply([namespace, ...governedNamespaces].map(restrictedNamespace));
  await upgrade(helm, { chart: 'agentplane-crds', namespace: PLATFORM_NAMESPACE, values: {}, previous });
  const installs = Object.entries(INSTALLS).map(([install, name]) => ({
    namespace: name,
    governedNamespaces: ADMISSION[install as keyof typeof INSTALLS],
  }));
  const platform = { installs, podControllers: POD_CONTROLLERS };
  await upgrade(helm, { chart: 'agentplane-cluster', namespace: PLATFORM_NAMESPACE, values: platform, previous });
  const values = valuesOf(options);
  await grantNamespaceAdmin(options, values);
  await upgrade(helm, { chart: RELEASE, namespace, values, as: NAMESPACE_ADMIN, previous });
}

/** Removes the release. The namespaces, the CRDs and what the platform admin installed stay. */
export async function uninstallAgentPlane(helm: Helm, install: keyof typeof INSTALLS): Promise<void> {
  await helm.run('uninstall', RELEASE, '--namespace', installNamespace(install), '--ignore-not-found', '--wait');
}

/** Puts the version before back: CRDs, fences and release, in the reverse order of their installation. */
export async function rollbackAgentPlane(helm: Helm, install: keyof typeof INSTALLS): Promise<void> {
  const releases = [
    [RELEASE, installNamespace(install)],
    ...PLATFORM_CHARTS.toReversed().map((chart) => [chart, PLATFORM_NAMESPACE] as const),
  ] as const;
  for (const [name, namespace] of releases) {
    await helm.run('rollback', name, '--namespace', namespace, '--wait', TIMEOUT);
  }
}

/** Removes the releases of the platform admin. The CRDs stay, and every object of their kinds. */
export async function removePlatform(helm: Helm): Promise<void> {
  const target = [...PLATFORM_CHARTS, '--namespace', PLATFORM_NAMESPACE];
  await helm.run('uninstall', ...target, '--ignore-not-found', '--wait');
}

/** Pods that do not keep to Pod Security `restricted` are refused in it. */
export function restrictedNamespace(name: string): object {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function valuesOf({ image, install, governedNamespaces, values = {} }: InstallOptions): JsonMap {
  return {
    admission: { enabled: ADMISSION[install].length > 0 },
    image: { repository: image.repository, tag: image.tag },
    governedNamespaces: governedNamespaces.map((name) => ({ name })),
    cilium: { enabled: true },
    ...values,
  };
}

interface Upgrade {
  /** Name of the chart, and of the release. */
  readonly chart: string;
  readonly namespace: string;
  readonly values: JsonMap;
  readonly previous: boolean;
  /** The user in whose name it is done; whoever the kubeconfig speaks for by default. */
  readonly as?: string;
}

async function upgrade(helm: Helm, { chart, namespace, values, previous, as }: Upgrade): Promise<void> {
  const set = Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
  const source = previous ? previousChart(chart) : path.join(REPOSITORY, 'charts', chart);
  const target = [chart, source, '--namespace', namespace];
  // CRDs outlive the release that made them, and a run of chart-testing that was cut off has left them to one of its own.
  const own = chart === 'agentplane-crds' ? ['--take-ownership'] : [];
  const user = as === undefined ? [] : ['--kube-as-user', as];
  await helm.run('upgrade', '--install', ...target, ...set, ...own, ...user, '--wait', TIMEOUT);
}

/** The built-in role `admin`, and the rules of the chart's own Roles: nobody can grant what they do not hold. */
async function grantNamespaceAdmin(options: InstallOptions, values: JsonMap): Promise<void> {
  const namespace = installNamespace(options.install);
  const apiGroup = 'rbac.authorization.k8s.io';
  const bind = (inNamespace: string, name: string, roleRef: { readonly kind: string; readonly name: string }) => ({
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace: inNamespace },
    roleRef: { apiGroup, ...roleRef },
    subjects: [{ apiGroup, kind: 'User', name: NAMESPACE_ADMIN }],
  });
  const roles = (await chartRoles(values, namespace)).map((role) => ({
    ...role,
    metadata: { name: `${NAMESPACE_ADMIN}-${role.metadata.name}`, namespace: role.metadata.namespace },
  }));
  const namespaces = new Set([
    namespace,
    ...options.governedNamespaces,
    ...roles.map((role) => role.metadata.namespace),
  ]);
  await options.kubectl.apply([
    ...roles,
    ...roles.map(({ metadata }) => bind(metadata.namespace, metadata.name, { kind: 'Role', name: metadata.name })),
    ...[...namespaces].map((name) => bind(name, NAMESPACE_ADMIN, { kind: 'ClusterRole', name: 'admin' })),
  ]);
}

interface Role extends JsonMap {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

async function chartRoles(values: JsonMap, namespace: string): Promise<readonly Role[]> {
  const chart = (await loadCharts(REPOSITORY)).find(({ name }) => name === RELEASE);
  if (chart === undefined) throw new Error(`there is no chart ${RELEASE}`);
  const manifests = synthStatic(chart, values, { name: RELEASE, namespace });
  return manifests.filter((manifest): manifest is Role => manifest.kind === 'Role');
}
