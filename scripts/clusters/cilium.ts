import path from 'node:path';
import { run, tryRun } from '../lib/exec.ts';
import { ciliumSource } from './cilium-image.ts';
import type { Step } from './progress.ts';
import type { ClientTools } from './tools.ts';
import { VERSIONS } from './versions.ts';

export interface CiliumOptions {
  /** Without it the agent enforces addresses and ports, and cannot do anything with names. */
  readonly l7Proxy: boolean;
  /** An agent image that is already on the node; the published one, with its operator, when undefined. */
  readonly image: string | undefined;
}

const CHART_REPOSITORY = 'https://helm.cilium.io';

/** Policy on one node, and nothing that is not needed for that. */
const BASE_VALUES = {
  envoy: { enabled: false },
  hubble: { enabled: false },
  ipam: { mode: 'kubernetes' },
  kubeProxyReplacement: false,
  routingMode: 'native',
  ipv4NativeRoutingCIDR: '10.244.0.0/16',
  autoDirectNodeRoutes: true,
  bpf: { masquerade: false },
  ipv6: { enabled: false },
  healthChecking: false,
  endpointHealthChecking: { enabled: false },
  nodePort: { enabled: false },
};

/** Installs Cilium, without waiting for it. */
export async function installCilium(
  tools: ClientTools,
  kubeconfigPath: string,
  options: CiliumOptions,
  step: Step,
): Promise<void> {
  const common = { env: { KUBECONFIG: kubeconfigPath }, logPath: step.logPath };
  const release = ['install', 'cilium', '--namespace', 'kube-system', '--values', '-'];
  const input = JSON.stringify(ciliumValues(options));
  if (options.image === undefined) {
    const chart = ['cilium', '--repo', CHART_REPOSITORY, '--version', VERSIONS.cilium];
    await run(tools.helm, [...release, ...chart], { ...common, input });
    return;
  }
  const source = await ciliumSource();
  // The operator would create these; it is not among what is built from source.
  const folders = ['v2', 'v2alpha1'].map((version) => path.join(source, 'pkg/k8s/apis/cilium.io/client/crds', version));
  await tryRun(tools.kubectl, ['create', ...folders.flatMap((folder) => ['-f', folder])], common);
  await run(tools.helm, [...release, path.join(source, 'install/kubernetes/cilium')], { ...common, input });
}

/** Values of Cilium's own chart. */
export function ciliumValues({ l7Proxy, image }: CiliumOptions): Readonly<Record<string, unknown>> {
  if (image === undefined) return { ...BASE_VALUES, l7Proxy, operator: { replicas: 1 } };
  return {
    ...BASE_VALUES,
    l7Proxy,
    image: { override: image, pullPolicy: 'Never', useDigest: false },
    operator: { enabled: false },
    securityContext: { privileged: true },
    extraConfig: { 'skip-crd-creation': 'true', 'disable-envoy-version-check': 'true' },
  };
}
