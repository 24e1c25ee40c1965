/** Installs on a control plane without nodes: of the charts, everything but the Deployments and what is around their pods. */

import type { JsonMap } from '../../constructs/expr/json.ts';
import { ciliumSource } from '../../scripts/clusters/cilium-image.ts';
import type { EmbeddedControlPlane } from '../../scripts/clusters/embedded/control-plane.ts';
import { REPOSITORY } from '../../scripts/lib/repository.ts';
import { waitFor } from '../../scripts/lib/wait-for.ts';
import { loadCharts } from '../../scripts/synth/charts.ts';
import { synthStatic } from '../../scripts/synth/synth-static.ts';
import { letGoOfProfiles } from './held-profiles.ts';
import type { Kubectl } from './kubectl.ts';

const APPLIED_KINDS = ['CustomResourceDefinition', 'ServiceAccount', 'Role', 'RoleBinding', 'NetworkPolicy'];
const ADMISSION_KINDS = [
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
];

export interface ChartsOptions {
  readonly installNamespace: string;
  readonly governedNamespaces: readonly string[];
  /** Those of them in which the admission policies hold, with more values of the chart agentplane-cluster. None by default. */
  readonly admission?: { readonly namespaces: readonly string[]; readonly values?: JsonMap };
  /** Profiles are kept for their workloads, as where admission policies hold. */
  readonly holdsProfiles?: boolean;
  /** Secrets that are listed for every governed namespace. */
  readonly secrets?: readonly string[];
}

/** Creates the namespaces, and applies the CRDs, ServiceAccounts, Roles and floors of the three charts. */
export async function applyCharts(kubectl: Kubectl, options: ChartsOptions): Promise<void> {
  const { installNamespace, governedNamespaces, admission, secrets = [] } = options;
  const { holdsProfiles = admission !== undefined } = options;
  await letGoOfProfiles(kubectl);
  const namespaces = [installNamespace, ...governedNamespaces];
  await kubectl.apply(namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  const values = {
    agentplane: {
      governedNamespaces: governedNamespaces.map((name) => ({ name, secrets })),
      cilium: { enabled: true },
      admission: { enabled: holdsProfiles },
    },
    'agentplane-cluster': {
      installs: [{ namespace: installNamespace, governedNamespaces: admission?.namespaces ?? [] }],
      ...admission?.values,
    },
    'agentplane-crds': {},
  };
  const kinds = new Set([...APPLIED_KINDS, ...(admission === undefined ? [] : ADMISSION_KINDS)]);
  for (const chart of await loadCharts(REPOSITORY)) {
    const release = { name: chart.name, namespace: installNamespace };
    const manifests = synthStatic(chart, values[chart.name as keyof typeof values], release);
    const wanted = manifests.filter((manifest) => kinds.has(String(manifest.kind)));
    if (wanted.length > 0) await kubectl.apply(wanted);
  }
  await waitForCrds(kubectl);
}

/** What the inventory of another install saw, in a file before this one: some commands look for the one report that there is. */
export async function forgetReports(kubectl: Kubectl): Promise<void> {
  await kubectl.run('delete', 'capabilityreports', '--all', '--all-namespaces');
}

/** The real CRD of Cilium, from the module that the test clusters are built from. */
export async function installCiliumCrd(site: {
  readonly kubectl: Kubectl;
  readonly controlPlane: EmbeddedControlPlane;
}): Promise<void> {
  const { kubectl, controlPlane } = site;
  const folder = `${await ciliumSource()}/pkg/k8s/apis/cilium.io/client/crds/v2`;
  await kubectl.run('apply', '--server-side', '-f', `${folder}/ciliumnetworkpolicies.yaml`);
  await waitForCrds(kubectl);
  // The garbage collector looks for new kinds twice a minute only; a new one knows them all at once.
  await controlPlane.restart('kube-controller-manager');
}

interface CrdList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** `kubectl wait` fails on a CRD that has no status yet. */
async function waitForCrds(kubectl: Kubectl): Promise<void> {
  await waitFor('the CRDs to be established', { timeoutMs: 30_000, intervalMs: 50 }, async () => {
    const list = await kubectl.get<CrdList>('crd');
    const pending = (list?.items ?? []).filter(
      ({ status }) =>
        !(status?.conditions ?? []).some(({ type, status: state }) => type === 'Established' && state === 'True'),
    );
    if (pending.length === 0) return { done: true, value: undefined };
    return { done: false, saw: pending.map(({ metadata }) => metadata.name).join(', ') };
  });
}
