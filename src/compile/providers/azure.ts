/**
 * Azure CNI powered by Cilium: the agents and the API of Cilium, managed by Azure, with domain rules only where Advanced Container
 * Networking Services are on. learn.microsoft.com, "FQDN filtering policies". Its `azure-cns` runs beside the agents: Azure/azure-container-networking.
 */
import { type RefusedRow, supporting } from './row.ts';

export const AZURE_ACNS: RefusedRow = {
  name: 'azure-acns',
  title: 'Azure CNI powered by Cilium',
  daemonSets: ['cilium'],
  toldApartBy: { daemonSet: 'azure-cns' },
  insteadOf: ['cilium'],
  api: { group: 'cilium.io', version: 'v2', kind: 'CiliumNetworkPolicy', field: ['spec', 'egress', '[]', 'toFQDNs'] },
  switches: [],
  supports: supporting(
    'isolation',
    'cidr',
    'cidr.except',
    'ports.range',
    'domain.exact',
    'domain.oneLabel',
    'dns.clusterResolver',
    'dns.filter',
    'workloads',
    'kubeAPIServer',
  ),
  composition: 'union',
  needed:
    'policies of Cilium that never say "*" to DNS, which Azure refuses, proven on AKS 1.29 or newer with --acns-advanced-networkpolicies FQDN or L7',
};
