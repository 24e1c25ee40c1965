/**
 * Providers are data: how each is recognised, what can switch it off, and what it can express. One file per provider in `providers/`,
 * with the sources beside each line.
 *
 * A row says what a provider can do when everything is as it should be; `capabilities.ts` subtracts what the cluster's own
 * configuration, version and agents take away. Rows without an emitter are recognised and refused by name.
 */
import type { ProviderName } from '../api/capability.ts';
import { ANTREA } from './providers/antrea.ts';
import { AWS_AUTO_MODE, AWS_VPC_CNI } from './providers/aws.ts';
import { AZURE_ACNS } from './providers/azure.ts';
import { CALICO_ENTERPRISE } from './providers/calico-enterprise.ts';
import { CILIUM } from './providers/cilium.ts';
import { GKE_DATAPLANE_V2 } from './providers/gke.ts';
import { ISTIO } from './providers/istio.ts';
import { KINDNET } from './providers/kindnet.ts';
import { NETWORK_POLICY } from './providers/network-policy.ts';
import { NETWORK_POLICY_API } from './providers/network-policy-api.ts';
import { OVN_KUBERNETES } from './providers/ovn-kubernetes.ts';
import { type EmittedRow, isRefused, type ProviderRow } from './providers/row.ts';

/** Of those that only their API tells of, the first that is served counts. */
export const PROVIDERS: readonly ProviderRow[] = [
  CILIUM,
  NETWORK_POLICY,
  ANTREA,
  CALICO_ENTERPRISE,
  GKE_DATAPLANE_V2,
  AWS_VPC_CNI,
  AZURE_ACNS,
  KINDNET,
  OVN_KUBERNETES,
  AWS_AUTO_MODE,
  NETWORK_POLICY_API,
  ISTIO,
];

/** The row of a provider that policies are compiled for. */
export function providerRow(name: ProviderName): EmittedRow | undefined {
  const row = PROVIDERS.find((item) => item.name === name);
  return row === undefined || isRefused(row) ? undefined : row;
}

/** A DaemonSet that caches DNS on every node; pods then ask an address of the node, which no pod selector matches. */
export const NODE_LOCAL_DNS = 'node-local-dns';

/** The DaemonSets that are looked for by name. The chart grants `get` on exactly these. */
export const OBSERVED_DAEMON_SETS: readonly string[] = distinct([
  ...PROVIDERS.flatMap((row) => row.daemonSets),
  ...PROVIDERS.flatMap(({ toldApartBy }) => (typeof toldApartBy === 'object' ? toldApartBy.daemonSet : [])),
  NODE_LOCAL_DNS,
]);

/** The ConfigMaps that are looked for by name. The chart grants `get` on exactly these. */
export const OBSERVED_CONFIG_MAPS: readonly string[] = distinct(PROVIDERS.flatMap((row) => row.configMap ?? []));

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
