/** Providers other than Cilium: those that are compiled for, and those that are refused by name. */
import { ciliumCluster } from '../../support/staged-cilium.ts';
import type { StagedCluster } from '../../support/staged-cluster.ts';
import type { StagedCrd } from '../../support/staged-crd.ts';
import { agents, beside, NO_EMITTER, NOBODY, PLAIN, RUNS, type Situation, SUPPORTED } from './situation.ts';

const calicoApi = (field: string): StagedCrd => ({
  group: 'projectcalico.org',
  version: 'v3',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  field,
});
const fqdnApi = (field: string): StagedCrd => ({
  group: 'networking.gke.io',
  version: 'v1alpha1',
  kind: 'FQDNNetworkPolicy',
  plural: 'fqdnnetworkpolicies',
  field,
});
const awsApi: StagedCrd = {
  group: 'networking.k8s.aws',
  version: 'v1alpha1',
  kind: 'ApplicationNetworkPolicy',
  plural: 'applicationnetworkpolicies',
  field: 'spec.egress[].to[].domainNames',
};
const antreaApi: StagedCrd = {
  group: 'crd.antrea.io',
  version: 'v1beta1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  field: 'spec.egress[].to[].fqdn',
};
const ovnApi: StagedCrd = {
  group: 'k8s.ovn.org',
  version: 'v1',
  kind: 'EgressFirewall',
  plural: 'egressfirewalls',
  field: 'spec.egress[].to.dnsName',
};
const clusterApi: StagedCrd = {
  group: 'policy.networking.k8s.io',
  version: 'v1alpha2',
  kind: 'ClusterNetworkPolicy',
  plural: 'clusternetworkpolicies',
  cluster: true,
  field: 'spec.egress[].to[].networks',
};
const istioApi: StagedCrd = {
  group: 'networking.istio.io',
  version: 'v1',
  kind: 'ServiceEntry',
  plural: 'serviceentries',
  field: 'spec.hosts',
};

const plainAgent = (name: string, ...args: readonly string[]): StagedCluster => ({ daemonSets: [{ name, args }] });
const off = (reason: string) => ({ ...PLAIN, cidr: `Unsupported/${reason}` });

export const NETWORK_POLICY: readonly Situation[] = [
  { name: 'kube-router', cluster: plainAgent('kube-router'), ...PLAIN, says: 'DaemonSet kube-router' },
  {
    name: 'kube-router without its firewall',
    cluster: plainAgent('kube-router', '--run-firewall=false'),
    ...off('FirewallDisabled'),
    says: RUNS,
  },
  {
    name: 'Calico',
    cluster: { ...agents('calico-node'), crds: [calicoApi('spec.egress[].destination.nets')] },
    ...PLAIN,
    says: 'DaemonSet calico-node',
  },
  { name: 'kube-network-policies', cluster: plainAgent('kube-network-policies'), ...off('FailsOpen'), says: RUNS },
  {
    name: 'kube-network-policies that fails closed',
    cluster: plainAgent('kube-network-policies', '--fail-open=false'),
    ...PLAIN,
    says: RUNS,
  },
];

export const antrea: StagedCluster = {
  ...agents('antrea-agent'),
  configMaps: { 'antrea-config': { 'antrea-agent.conf': '' } },
  crds: [antreaApi],
};
const vpcCni = (config: string, ...args: readonly string[]): StagedCluster => ({
  daemonSets: [{ name: 'aws-node', args }],
  configMaps: { 'amazon-vpc-cni': { 'enable-network-policy-controller': config } },
  crds: [awsApi],
});
const refused = (provider: string, name: string, cluster: StagedCluster, says: string | RegExp): Situation => ({
  name,
  cluster,
  provider,
  ...NO_EMITTER,
  says,
});
const gatedOff = { 'antrea-config': { 'antrea-agent.conf': 'featureGates:\n  AntreaPolicy: false\n' } };

export const REFUSED: readonly Situation[] = [
  refused('kindnet', 'kindnet', agents('kindnet'), 'fails closed'),
  refused('antrea', 'Antrea', antrea, /provider antrea .*no emitter for it.*every node$/),
  refused('antrea', 'Antrea without its gate', { ...antrea, configMaps: gatedOff }, 'AntreaPolicyDisabled'),
  refused('antrea', 'Antrea without its API', { ...antrea, crds: [] }, 'fqdn is not served'),
  refused(
    'calico-enterprise',
    'Calico Enterprise',
    { ...agents('calico-node'), crds: [calicoApi('spec.egress[].destination.domains')] },
    'projectcalico.org/v3',
  ),
  refused('gke-dataplane-v2', 'GKE, the API of Cilium served', agents('anetd'), /DaemonSet anetd.*is not served/),
  refused(
    'gke-dataplane-v2',
    'GKE',
    { ...agents('anetd'), crds: [fqdnApi('spec.egress[].matches[].pattern')] },
    /fqdn-network-policy$/,
  ),
  refused(
    'gke-dataplane-v2',
    'GKE, a look-alike API',
    { ...agents('anetd'), crds: [fqdnApi('spec.egress[].to[].fqdns')] },
    'pattern is not served',
  ),
  refused('aws-vpc-cni', 'Amazon VPC CNI', vpcCni('true', '--enable-network-policy=true'), /is strict$/),
  refused(
    'aws-vpc-cni',
    'Amazon VPC CNI, controller off',
    vpcCni('false', '--enable-network-policy=true'),
    'NetworkPolicyControllerDisabled',
  ),
  refused('aws-vpc-cni', 'Amazon VPC CNI, agent off', vpcCni('true'), 'NetworkPolicyAgentDisabled'),
  refused('azure-acns', 'Azure', beside({ name: 'azure-cns' }), 'acns-advanced-networkpolicies'),
  refused('gke-dataplane-v2', 'GKE, agents of Cilium', beside({ name: 'anetd' }), 'anetd'),
  refused('ovn-kubernetes', 'OVN-Kubernetes', { crds: [ovnApi] }, 'EgressFirewall of k8s.ovn.org/v1'),
  refused(
    'aws-auto-mode',
    'Amazon EKS Auto Mode',
    { ...vpcCni('true'), daemonSets: [] },
    'networking.k8s.aws/v1alpha1',
  ),
  refused('network-policy-api', 'ClusterNetworkPolicy', { crds: [clusterApi] }, 'cluster-scoped rights'),
  refused('istio', 'Istio', { crds: [istioApi] }, 'never suffices'),
  {
    name: 'Istio beside Cilium',
    cluster: { ...ciliumCluster(), crds: [istioApi] },
    provider: 'cilium',
    cidr: SUPPORTED,
    says: RUNS,
  },
  { name: 'nothing but a resolver', cluster: agents('node-local-dns'), ...NOBODY, says: 'nothing would enforce' },
];
