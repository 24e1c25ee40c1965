/** All situations of network providers, in the order in which they are staged: no two that follow each other look the same. */
import type { ProviderName } from '../../../src/api/capability.ts';
import { ciliumCluster } from '../../support/staged-cilium.ts';
import { CILIUM, SEVERAL } from './cilium-situations.ts';
import { antrea, NETWORK_POLICY, REFUSED } from './other-situations.ts';
import { beside, HEALTHY, NOBODY, PLAIN, RUNS, type Situation, setting } from './situation.ts';

/** Without a pin. */
export const UNPINNED: readonly Situation[] = [...CILIUM, ...SEVERAL, ...NETWORK_POLICY, ...REFUSED];

const IN_VAIN = { provider: 'none', cidr: 'Unsupported/PinnedProviderNotRunning' };

export const PINNED: readonly { readonly pin: ProviderName; readonly situations: readonly Situation[] }[] = [
  {
    pin: 'cilium',
    situations: [
      { ...HEALTHY, name: 'Cilium and Antrea', cluster: beside({ name: 'antrea-agent' }) },
      { name: 'Antrea alone', cluster: antrea, ...IN_VAIN, says: 'found was antrea by DaemonSet antrea-agent' },
      { ...HEALTHY, name: 'Cilium and the VPC CNI', cluster: beside({ name: 'aws-node' }) },
      { name: 'GKE, agents of Cilium', cluster: beside({ name: 'anetd' }), ...IN_VAIN, says: 'gke-dataplane-v2' },
      setting('enable-policy', 'never', 'PolicyEnforcementNever'),
    ],
  },
  {
    pin: 'k8s-networkpolicy',
    situations: [
      { name: 'Cilium alone', cluster: ciliumCluster(), ...IN_VAIN, says: 'k8s-networkpolicy is pinned' },
      { name: 'Cilium and kube-router', cluster: beside({ name: 'kube-router' }), ...PLAIN, says: RUNS },
    ],
  },
  { pin: 'none', situations: [{ ...HEALTHY, name: 'Cilium', ...NOBODY, says: 'inventory.provider' }] },
];
