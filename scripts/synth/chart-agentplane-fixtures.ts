import type { JsonMap } from '../../constructs/expr/json.ts';

const monitoring = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };

/** One fixture per way the chart is used, so that every branch of every template is rendered by one of them. */
export const agentplaneFixtures: Readonly<Record<string, JsonMap>> = {
  'inventory-only': {},
  minimal: { governedNamespaces: [{ name: 'agents' }] },
  cilium: {
    governedNamespaces: [
      { name: 'agents', secrets: ['model-key'] },
      { name: 'research', floor: 'GovernedPods' },
    ],
    cilium: { enabled: true },
    inventory: { provider: 'cilium' },
  },
  'high-availability': {
    image: {
      repository: 'registry.example.com:5000/agentplane/agentplane',
      digest: 'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      pullPolicy: 'Always',
    },
    imagePullSecrets: [{ name: 'registry' }],
    governedNamespaces: [{ name: 'agents', floor: 'AllPods' }],
    admission: { enabled: true },
    operator: {
      replicas: 3,
      workers: 8,
      logLevel: 'debug',
      resources: { requests: { cpu: '200m' }, limits: { memory: '512Mi' } },
    },
    apiServer: { addresses: ['203.0.113.10', '2001:db8::10'], port: 443 },
    networkPolicy: { metricsFrom: [monitoring] },
    serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
    alerts: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
    podLabels: { team: 'platform' },
    podAnnotations: { note: 'braces {{ stay }} "as they are"\nover two lines' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1000000 }],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { team: 'x' } } },
          },
        ],
      },
    },
    priorityClassName: 'system-cluster-critical',
  },
  probe: {
    governedNamespaces: [{ name: 'agents' }],
    cilium: { enabled: true },
    probe: {
      enabled: true,
      namespace: 'canaries',
      targets: {
        ipv4: { allowed: '203.0.113.10', denied: '203.0.113.20', port: 8443 },
        ipv6: { allowed: '2001:db8::10' },
        names: { allowed: 'api.example.com', denied: 'evil.example.net' },
        suffix: { name: 'cdn.example.com', oneLabel: 'a', twoLabels: 'a.b' },
        resolver: '198.51.100.53',
      },
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { pool: 'agents' },
    },
  },
  // Each narrower value holds a key that the common ones hold as well.
  'common-metadata': {
    commonLabels: { 'cost-center': '4711', 'example.com/owner': 'platform', team: 'everybody' },
    commonAnnotations: { 'example.com/runbook': 'https://example.com/{{ name }}', note: 'on everything' },
    governedNamespaces: [{ name: 'agents' }, { name: 'research', floor: 'GovernedPods' }],
    operator: { replicas: 2 },
    networkPolicy: { metricsFrom: [monitoring] },
    serviceMonitor: { enabled: true, labels: { team: 'monitoring' } },
    alerts: { enabled: true, labels: { team: 'on-call' } },
    dashboard: { enabled: true, labels: { team: 'dashboards' } },
    probe: { enabled: true, namespace: 'canaries' },
    podLabels: { team: 'platform' },
    podAnnotations: { note: 'on pods' },
  },
  unfenced: {
    governedNamespaces: [{ name: 'agents' }],
    networkPolicy: { enabled: false },
    operator: { replicas: 2, allowAnyDestination: true },
    podDisruptionBudget: { enabled: false },
  },
};
