/**
 * GKE Dataplane V2: Cilium that does not honour CiliumNetworkPolicy, whether its API is served or not. cloud.google.com, "FQDN network
 * policies". GoogleCloudPlatform/gke-fqdnnetworkpolicies-golang serves the same group and kind with `to[].fqdns`, and polls DNS to
 * write addresses: hence the field.
 */
import { PLAIN_CAPABILITIES, type RefusedRow, supporting } from './row.ts';

export const GKE_DATAPLANE_V2: RefusedRow = {
  name: 'gke-dataplane-v2',
  title: 'GKE Dataplane V2',
  daemonSets: ['anetd'],
  insteadOf: ['cilium'],
  api: {
    group: 'networking.gke.io',
    version: 'v1alpha1',
    kind: 'FQDNNetworkPolicy',
    field: ['spec', 'egress', '[]', 'matches', '[]', 'pattern'],
  },
  switches: [],
  // `*` is one label.
  supports: supporting(...PLAIN_CAPABILITIES, 'domain.exact', 'domain.oneLabel'),
  composition: 'union',
  needed:
    'an emitter for FQDNNetworkPolicy of networking.gke.io/v1alpha1 beside a NetworkPolicy, on GKE 1.26.4-gke.500 or newer created with --enable-fqdn-network-policy',
};
