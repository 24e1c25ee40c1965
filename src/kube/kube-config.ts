import { KubeConfig } from '@kubernetes/client-node';

/** In a pod its ServiceAccount, elsewhere what `KUBECONFIG` or the home folder say. Throws a plain `Error` when there is neither. */
export function loadKubeConfig(env: Readonly<Record<string, string | undefined>>): KubeConfig {
  const kubeConfig = new KubeConfig();
  if (env.KUBERNETES_SERVICE_HOST === undefined) kubeConfig.loadFromDefault();
  else kubeConfig.loadFromCluster();
  return kubeConfig;
}
