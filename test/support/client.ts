import { KubeConfig } from '@kubernetes/client-node';
import type { Client } from '../../src/kube/client.ts';
import { createClient } from '../../src/kube/create-client.ts';

/** The product's own client, as whoever the kubeconfig speaks for. Close it when done. */
export function clientFor(kubeconfigPath: string): Client {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(kubeconfigPath);
  return createClient({ kubeConfig, userAgent: 'agentplane-test', requestTimeoutMs: 20_000 });
}
