/**
 * What the API server records. Every request, so that writes can be counted; bodies only for the groups whose content
 * tests read. Events never carry bodies: they are noise, and quoted from elsewhere.
 */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'Metadata',
      resources: [
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
      ],
    },
    {
      level: 'RequestResponse',
      verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
      resources: ['agentplane.dev', 'networking.k8s.io', 'cilium.io', 'coordination.k8s.io'].map((group) => ({
        group,
      })),
    },
    { level: 'Metadata' },
  ],
} as const;
