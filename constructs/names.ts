/**
 * Names that every part of AgentPlane relies on. They are fixed, not derived from the release: two installs that would
 * govern one namespace then collide on the floor and the Role there, and Helm refuses the second.
 */
export const names = {
  operator: 'agentplane-operator',
  inventory: 'agentplane-inventory',
  probe: 'agentplane-probe',
  floor: 'agentplane-floor',
  lease: 'agentplane-operator',
  capabilityReport: 'cluster',
  systemNamespace: 'kube-system',
} as const;

/** Namespaces that belong to the cluster: nothing of ours may hold there. */
export const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease'] as const;

export const profileLabel = 'agentplane.dev/profile';

/** Ports of every AgentPlane process. Health is apart from metrics, so that a policy can open one and not the other. */
export const ports = { metrics: 8080, health: 8081 } as const;
