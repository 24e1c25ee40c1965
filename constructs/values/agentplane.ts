import { bool, choice, int, list, object, string, stringMap } from './build.ts';
import { commonMetadata } from './common.ts';
import { dnsLabel, dnsSubdomain, duration, imageDigest, imageRepository, imageTag, serverAddress } from './formats.ts';
import {
  affinity,
  nodeSelector,
  podAnnotations,
  podLabels,
  policyPeers,
  reservedLabels,
  resources,
  tolerations,
} from './kubernetes.ts';
import { logLevel } from './log-level.ts';
import type { ValueOf } from './model.ts';
import { probeValues } from './probe.ts';
import type { RefsOf } from './refs.ts';

const image = object('The image, one for all identities.', {
  repository: string(
    'Where the image was pushed to. No public image exists yet: the default is the name that a local build gives it.',
    { default: 'localhost/agentplane/agentplane', pattern: imageRepository, maxLength: 255 },
  ),
  tag: string("Tag. The chart's appVersion if empty. Ignored where a digest is given.", {
    default: '',
    pattern: imageTag,
  }),
  digest: string('Digest, as sha256:... . Pins the image: preferred in production.', {
    default: '',
    pattern: imageDigest,
  }),
  pullPolicy: choice('When the kubelet pulls the image.', ['Always', 'IfNotPresent', 'Never'], 'IfNotPresent'),
});

const governedNamespaces = list(
  'Namespaces whose agents are governed. They must exist. Each gets the egress floor (a NetworkPolicy that denies all ' +
    'egress) and the Role of the operator. While the list is empty nothing is governed, and no operator runs: only the inventory.',
  object('A governed namespace.', {
    name: string('Name of the namespace.', { pattern: dnsLabel, maxLength: 63 }),
    floor: choice(
      'AllPods: every pod of the namespace is behind the floor. GovernedPods: only pods with the label agentplane.dev/profile, ' +
        'for a namespace that also holds other workloads; needed to govern the namespace of the release itself.',
      ['AllPods', 'GovernedPods'],
      'AllPods',
    ),
    secrets: list(
      'Names of the Secrets that SecretBindings of the namespace may be about. The operator may get them, asks for their metadata only, ' +
        'and can neither list nor watch Secrets. A binding to any other is DependencyNotReadable.',
      string('Name of a Secret.', { pattern: dnsSubdomain, maxLength: 253 }),
      { maxItems: 64 },
    ),
  }),
  { maxItems: 200 },
);

const operator = object('The operator: compiles policies and applies them in the governed namespaces.', {
  replicas: int('Replicas. One leads, the others stand by.', { default: 1, minimum: 1, maximum: 5 }),
  workers: int('Policies that are reconciled at the same time.', { default: 4, minimum: 1, maximum: 32 }),
  allowAnyDestination: bool(
    'Accept policies that allow 0.0.0.0/0 or ::/0 (or halves that add up to them). Refused otherwise.',
    false,
  ),
  clusterDomain: string(
    'DNS domain of the cluster. Policies may not name hosts in it: pods are allowed as workloads.',
    {
      default: 'cluster.local',
      pattern: dnsSubdomain,
      maxLength: 253,
    },
  ),
  reportMaxAgeSeconds: int(
    'Age in seconds from which a CapabilityReport counts as stale. Policies are not Ready without a fresh one.',
    {
      default: 300,
      minimum: 60,
      maximum: 86400,
    },
  ),
  logLevel,
  resources: resources('the operator', {
    requests: { cpu: '50m', memory: '128Mi' },
    limits: { memory: '256Mi' },
  }),
});

const inventory = object(
  'The inventory: finds out what this cluster can enforce, and reports it. Changes nothing else.',
  {
    intervalSeconds: int(
      'Seconds between two looks at the cluster. operator.reportMaxAgeSeconds must be at least twice as much and a minute.',
      {
        default: 5,
        minimum: 5,
        maximum: 3600,
      },
    ),
    provider: choice(
      'Pins the network provider where several are found. A pin is still checked against the cluster.',
      ['auto', 'cilium', 'k8s-networkpolicy', 'none'],
      'auto',
    ),
    runtimeClasses: list(
      'RuntimeClasses that RuntimeProfiles may name. The inventory looks for them by name, which the platform admin grants in ' +
        'agentplane-cluster. A profile that names any other is DependencyNotReadable.',
      string('Name of a RuntimeClass.', { pattern: dnsSubdomain, maxLength: 253 }),
      { maxItems: 32 },
    ),
    dns: object('The resolver that pods of the cluster use.', {
      namespace: string('Namespace of the resolver.', { default: 'kube-system', pattern: dnsLabel, maxLength: 63 }),
      podLabels: stringMap("Labels of the resolver's pods.", {
        values: 'label',
        default: { 'k8s-app': 'kube-dns' },
        minProperties: 1,
      }),
    }),
    logLevel,
    resources: resources('the inventory', {
      requests: { cpu: '20m', memory: '96Mi' },
      limits: { memory: '192Mi' },
    }),
  },
);

const apiServer = object(
  "The API server, as seen by the chart's own NetworkPolicies and by kubeAPIServer destinations.",
  {
    addresses: list(
      'Addresses of the API server behind its Service, which policies with a kubeAPIServer destination open; never one that no policy may open, ' +
        'such as 169.254.169.254. Empty: the own pods may reach any address on the two ports below. Leave it ' +
        'empty under Cilium, which does not match the API server by address (docs.cilium.io, "policy-cidr-match-mode").',
      string('An IP address.', { pattern: serverAddress, maxLength: 45 }),
      { maxItems: 16 },
    ),
    port: int('Port that it listens on, behind its Service.', { default: 6443, minimum: 1, maximum: 65535 }),
    servicePort: int('Port of its Service.', { default: 443, minimum: 1, maximum: 65535 }),
  },
);

/** The values of the chart `agentplane`: the single source of its values.yaml, schema, README table and references. */
export const agentplaneValues = object('AgentPlane for the namespaces of one team. Installable by a namespace admin.', {
  image,
  imagePullSecrets: list(
    'Secrets of the release namespace to pull the image with.',
    object('A reference to a Secret.', {
      name: string('Name of the Secret.', { pattern: dnsSubdomain, maxLength: 253 }),
    }),
    { maxItems: 16, unique: true },
  ),
  governedNamespaces,
  cilium: object('Cilium as the network provider.', {
    enabled: bool('Lets the operator write CiliumNetworkPolicies, which domain rules need.', false),
  }),
  admission: object('The admission policies of the chart agentplane-cluster.', {
    enabled: bool(
      'Whether they hold in the governed namespaces: set it where the platform admin has installed them for this release. A RuntimeProfile ' +
        'then has a finalizer, which keeps it until its workloads are gone (docs/operations/finalizers.md).',
      false,
    ),
  }),
  operator,
  inventory,
  probe: probeValues,
  apiServer,
  networkPolicy: object(
    'NetworkPolicies around the own pods: no ingress but to metrics, no egress but to the API server.',
    {
      enabled: bool('Render them.', true),
      metricsFrom: policyPeers,
      ciliumEgress: bool(
        'Under Cilium: name the API server in a CiliumNetworkPolicy, in place of apiServer.addresses, so that not even another host is reached on ' +
          'its ports. Needs the right to manage CiliumNetworkPolicies in the release namespace.',
        false,
      ),
    },
  ),
  podDisruptionBudget: object('Keeps one operator running while nodes are drained.', {
    enabled: bool('Render it, where operator.replicas is above one.', true),
  }),
  serviceMonitor: object('Metrics for the Prometheus Operator. Its CRDs must exist.', {
    enabled: bool('Render ServiceMonitors and the Services they read. Needs networkPolicy.metricsFrom.', false),
    interval: string('Time between two scrapes.', { default: '30s', pattern: duration }),
    labels: stringMap('Labels that your Prometheus selects ServiceMonitors by.', {
      values: 'label',
      reserved: reservedLabels,
    }),
  }),
  alerts: object('Alerts for the Prometheus Operator. Its CRDs must exist, and serviceMonitor has to be enabled.', {
    enabled: bool('Render a PrometheusRule.', false),
    labels: stringMap('Labels that your Prometheus selects rules by.', { values: 'label', reserved: reservedLabels }),
  }),
  dashboard: object('A dashboard for Grafana.', {
    enabled: bool('Render a ConfigMap that holds it, for the sidecar that collects dashboards.', false),
    labels: stringMap('Labels that the sidecar selects ConfigMaps by.', {
      values: 'label',
      reserved: reservedLabels,
      default: { grafana_dashboard: '1' },
    }),
  }),
  ...commonMetadata,
  podLabels,
  podAnnotations,
  nodeSelector,
  tolerations,
  affinity,
  priorityClassName: string('PriorityClass of the pods. The cluster default if empty.', {
    default: '',
    pattern: `^$|${dnsSubdomain}`,
    maxLength: 253,
  }),
});

export type AgentplaneValues = ValueOf<typeof agentplaneValues>;
export type AgentplaneRefs = RefsOf<typeof agentplaneValues>;
