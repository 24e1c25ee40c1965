/** Amazon EKS. aws/amazon-network-policy-controller-k8s and aws/aws-network-policy-agent: README.md, api/v1alpha1. */
import { is, PLAIN_CAPABILITIES, type RefusedRow, type Switch, supporting } from './row.ts';

const api = {
  group: 'networking.k8s.aws',
  version: 'v1alpha1',
  kind: 'ApplicationNetworkPolicy',
  field: ['spec', 'egress', '[]', 'to', '[]', 'domainNames'],
};
const configMap = 'amazon-vpc-cni';
/** Off by default: policies are stored and nothing enforces them. */
const controllerOff: Switch = {
  key: 'enable-network-policy-controller',
  absent: 'false',
  fine: is('true'),
  reason: 'NetworkPolicyControllerDisabled',
  removes: 'all',
};

/** Serves the API with `domainNames`, but its agent skips such a rule: controllers/policyendpoints_controller.go. */
export const AWS_VPC_CNI: RefusedRow = {
  name: 'aws-vpc-cni',
  title: 'Amazon VPC CNI',
  daemonSets: ['aws-node'],
  insteadOf: [],
  api,
  configMap,
  switches: [
    controllerOff,
    {
      key: '--enable-network-policy',
      absent: 'false',
      fine: is('true'),
      reason: 'NetworkPolicyAgentDisabled',
      removes: 'all',
    },
  ],
  usual: { 'enable-network-policy-controller': 'true', '--enable-network-policy': 'true' },
  supports: supporting(...PLAIN_CAPABILITIES),
  composition: 'union',
  needed:
    'proof that new pods are never open: in its standard mode they are for a second or two (aws/aws-network-policy-agent#345), unless NETWORK_POLICY_ENFORCING_MODE is strict',
};

/** Its agents are no DaemonSet, so nothing but the API and the ConfigMap tells of it. */
export const AWS_AUTO_MODE: RefusedRow = {
  name: 'aws-auto-mode',
  title: 'Amazon EKS Auto Mode',
  daemonSets: [],
  insteadOf: [],
  api,
  configMap,
  switches: [controllerOff],
  usual: { 'enable-network-policy-controller': 'true' },
  // `*.` is any number of labels.
  supports: supporting(...PLAIN_CAPABILITIES, 'domain.exact', 'domain.anyDepth'),
  composition: 'union',
  needed:
    'an emitter for ApplicationNetworkPolicy of networking.k8s.aws/v1alpha1, and a way to see that every node enforces it: agents are no DaemonSet there',
};
