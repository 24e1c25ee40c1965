/**
 * OVN-Kubernetes, also in OpenShift. Its agents run outside the system namespace, so that only its API tells of it.
 * ovn-kubernetes/ovn-kubernetes: go-controller/pkg/crd/egressfirewall/v1, go-controller/pkg/util/egressfirewall.go.
 */
import { PLAIN_CAPABILITIES, type RefusedRow, supporting } from './row.ts';

export const OVN_KUBERNETES: RefusedRow = {
  name: 'ovn-kubernetes',
  title: 'OVN-Kubernetes (OpenShift)',
  daemonSets: [],
  insteadOf: [],
  api: {
    group: 'k8s.ovn.org',
    version: 'v1',
    kind: 'EgressFirewall',
    field: ['spec', 'egress', '[]', 'to', 'dnsName'],
  },
  switches: [],
  // `*.` is one label, and needs EnableDNSNameResolver.
  supports: supporting(...PLAIN_CAPABILITIES, 'domain.exact', 'domain.oneLabel'),
  // One EgressFirewall for a whole namespace, allowing what no rule names: it cannot open a floor, and is no floor.
  composition: 'and',
  needed:
    'namespaces of their own for governed pods, opened by NetworkPolicy and narrowed by one EgressFirewall, and the right to see its agents',
};
