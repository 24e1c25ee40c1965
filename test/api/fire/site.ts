/** An operator behind a fault proxy, in namespaces of its own, where a plain NetworkPolicy provider was seen. */
import { readFile, writeFile } from 'node:fs/promises';
import { waitFor, waitUntil } from '../../../scripts/lib/wait-for.ts';
import { isActive, type Observable } from '../../../src/api/active.ts';
import { EGRESS_POLICIES } from '../../../src/controllers/resources.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { FaultProxy } from '../../support/fault-proxy.ts';
import { metricOf } from '../../support/metrics.ts';
import { type PolicyObject, policy, profile } from '../../support/policies.ts';
import { type LaunchOptions, launchCommand, type Running } from '../../support/process.ts';
import { stageCluster } from '../../support/staged-cluster.ts';
import { INSTALL_NAMESPACE, type Installation, type InstallOptions, install } from '../support/installation.ts';

export interface OperatorOptions extends LaunchOptions {
  readonly cilium?: boolean;
  readonly workers?: number;
  /** More flags. */
  readonly flags?: readonly string[];
}

export interface FireSite extends Installation {
  /** A kubeconfig of the operator's ServiceAccount, which leads through the proxy where one is given. */
  kubeconfig(label: string, proxy?: FaultProxy): Promise<string>;
  /** Starts an operator, and does not wait for it. */
  launch(kubeconfig: string, identity: string, options?: OperatorOptions): Promise<Running>;
}

/** Installs, lets the inventory look once, and creates a profile in each namespace. */
export async function startFireSite(namespaces: readonly string[], more: InstallOptions = {}): Promise<FireSite> {
  const site = await install(namespaces, more);
  await stageCluster(site.admin, { daemonSets: [{ name: 'kube-router', image: 'kube-router:v2.9.0' }] });
  const inventory = await site.startInventory();
  await inventory.stop();
  await site.kubectl.apply(namespaces.map((namespace) => profile(namespace)));
  return {
    ...site,
    kubeconfig: (label, proxy) => kubeconfigOf(site, label, proxy),
    launch: (kubeconfig, identity, { cilium = false, workers = 4, flags: added = [], ...options } = {}) => {
      const common = ['--install-namespace', INSTALL_NAMESPACE, '--metrics-port', '0', '--health-port', '0'];
      const own = ['--identity', identity, '--namespaces', namespaces.join(',')];
      const admission = ['--admission', String(more.holdsProfiles ?? false)];
      const flags = [
        ...common,
        ...own,
        '--cilium',
        String(cilium),
        '--workers',
        String(workers),
        ...admission,
        ...added,
      ];
      return launchCommand('operator', flags, kubeconfig, options);
    },
  };
}

export async function kubeconfigOf(
  site: Pick<Installation, 'controlPlane'>,
  label: string,
  proxy: FaultProxy | undefined,
): Promise<string> {
  const account = { kind: 'ServiceAccount', namespace: INSTALL_NAMESPACE, name: 'agentplane-operator' } as const;
  const direct = await site.controlPlane.kubeconfigFor(account);
  if (proxy === undefined) return direct;
  const kubeconfig = JSON.parse(await readFile(direct, 'utf8')) as { clusters: { cluster: object }[] };
  const cluster = { server: proxy.url, 'insecure-skip-tls-verify': true };
  kubeconfig.clusters[0] = { ...kubeconfig.clusters[0], cluster };
  const file = `${direct}.${label}`;
  await writeFile(file, JSON.stringify(kubeconfig), { mode: 0o600 });
  return file;
}

/** Waits until the process holds the lease. */
export function waitUntilLeading(running: () => Running, timeoutMs = 30_000): Promise<void> {
  return waitUntil('the operator to lead', { timeoutMs, intervalMs: 50 }, async () => {
    return (await metricOf(running(), 'agentplane_leading')) === 1;
  });
}

/** Creates or changes policies. */
export async function applyPolicies(
  { admin }: Pick<Installation, 'admin'>,
  namespace: string,
  specs: Readonly<Record<string, object>>,
): Promise<void> {
  await Promise.all(
    Object.entries(specs).map(([name, spec]) =>
      admin.apply(EGRESS_POLICIES, policy(namespace, name, { ...spec }) as KubeObject, {
        fieldManager: 'test',
        force: true,
      }),
    ),
  );
}

/** Waits until all of them fulfil `holds` about their newest generation. */
export function waitForPolicies(
  { admin }: Pick<Installation, 'admin'>,
  { namespace, names }: { readonly namespace: string; readonly names: readonly string[] },
  holds: (policy: PolicyObject) => boolean = (seen) => isActive(seen as Observable),
  timeoutMs = 20_000,
): Promise<readonly PolicyObject[]> {
  return waitFor(`policies ${names.join(', ')}`, { timeoutMs, intervalMs: 40 }, async () => {
    const { items } = await admin.list(EGRESS_POLICIES, { namespace });
    const seen = (items as PolicyObject[]).filter(({ metadata }) => names.includes(metadata.name));
    const done = seen.filter((item) => item.status?.observedGeneration === item.metadata.generation && holds(item));
    if (done.length === names.length) return { done: true, value: done };
    return {
      done: false,
      saw: JSON.stringify(seen.map(({ metadata, status }) => [metadata.name, status?.conditions])),
    };
  });
}
