/** Where a chart test installs: namespaces of its own on the shared control plane. */
import type { JsonMap } from '../../../constructs/expr/json.ts';
import { attachEmbedded, type EmbeddedControlPlane } from '../../../scripts/clusters/embedded/control-plane.ts';
import type { Client } from '../../../src/kube/client.ts';
import { claimNamespaces } from '../../support/claim.ts';
import { clientFor } from '../../support/client.ts';
import { controlPlaneOfWorker } from '../../support/control-plane.ts';
import { type Helm, type HelmVersion, helmFor } from '../../support/helm.ts';
import { type Kubectl, kubectlFor } from '../../support/kubectl.ts';
import type { Release } from './chart-release.ts';

export const HELM_VERSIONS: readonly HelmVersion[] = [3, 4];

/** In each of the governed namespaces. */
export const LISTED_SECRETS = ['model-key', 'tool-key'];

export interface ChartSite {
  readonly controlPlane: EmbeddedControlPlane;
  /** Both as cluster administrator. */
  readonly kubectl: Kubectl;
  readonly admin: Client;
  /** Namespace of the release. */
  readonly install: string;
  /** Two namespaces, so that a right that is missing in one of several is noticed. */
  readonly governed: readonly [string, string];
  /** Namespace of the canaries. */
  readonly probe: string;
  /** Of the chart agentplane, governing both namespaces, with all that it can be given: every rule that the chart can grant. */
  readonly release: Release;
  /** As cluster administrator, unless another kubeconfig is given. */
  helm(version: HelmVersion, kubeconfigPath?: string): Promise<Helm>;
  /** Does not wait: names are not used twice. */
  remove(): Promise<void>;
}

/** Creates the namespaces `chart-<label>-...`, for this file alone. */
export async function chartSite(label: string): Promise<ChartSite> {
  const embedded = controlPlaneOfWorker();
  const kubectl = kubectlFor(embedded.kubectl, embedded.kubeconfigPath);
  const install = `chart-${label}-install`;
  const governed = [`chart-${label}-agents`, `chart-${label}-research`] as const;
  const probe = `chart-${label}-probe`;
  const namespaces = [install, ...governed, probe];
  await claimNamespaces(namespaces);
  await kubectl.apply(namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  const admin = clientFor(embedded.kubeconfigPath);
  return {
    admin,
    controlPlane: await attachEmbedded(embedded.folder),
    kubectl,
    install,
    governed,
    probe,
    release: {
      chart: 'agentplane',
      name: 'agentplane',
      namespace: install,
      values: {
        governedNamespaces: governed.map((name) => ({ name, secrets: LISTED_SECRETS })),
        cilium: { enabled: true },
        admission: { enabled: true },
        probe: { enabled: true, namespace: probe },
      },
    },
    helm: (version, kubeconfigPath = embedded.kubeconfigPath) => helmFor(version, kubeconfigPath),
    remove: async () => {
      await admin.close();
      await kubectl.run('delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait=false');
    },
  };
}

/** Values of the chart agentplane. */
export function governing(namespaces: readonly string[]): JsonMap {
  return { governedNamespaces: namespaces.map((name) => ({ name })), cilium: { enabled: true } };
}
