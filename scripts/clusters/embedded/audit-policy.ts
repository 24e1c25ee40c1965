const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const ANSWERED = { omitStages: ['RequestReceived'] };

/**
 * What the API server records. Every request when it is answered, so that they can be counted; writes also when they are received, since
 * what they change is seen before their answer is recorded. Bodies only for the groups whose content tests read. Events never carry
 * bodies: they are noise, and quoted from elsewhere.
 */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    {
      level: 'Metadata',
      ...ANSWERED,
      resources: [
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
      ],
    },
    {
      level: 'RequestResponse',
      verbs: WRITES,
      resources: ['agentplane.dev', 'networking.k8s.io', 'cilium.io', 'coordination.k8s.io'].map((group) => ({
        group,
      })),
    },
    { level: 'Metadata', verbs: WRITES },
    { level: 'Metadata', ...ANSWERED },
  ],
} as const;
