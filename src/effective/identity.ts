/** The labels by which Cilium knows a pod beside its own: cilium/cilium:pkg/k8s/apis/cilium.io/const.go. */
import type { Labels } from './types.ts';

export const NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const NAMESPACE_LABELS_PREFIX = 'io.cilium.k8s.namespace.labels.';
export const ACCOUNT_LABEL = 'io.cilium.k8s.policy.serviceaccount';
export const CLUSTER_LABEL = 'io.cilium.k8s.policy.cluster';

export interface Identified {
  readonly namespace: string;
  readonly labels: Labels;
  readonly serviceAccountName?: string;
}

export function identityLabels({ namespace, labels, serviceAccountName }: Identified): Labels {
  const account = serviceAccountName === undefined ? {} : { [ACCOUNT_LABEL]: serviceAccountName };
  return { ...labels, ...account, [NAMESPACE_LABEL]: namespace };
}
