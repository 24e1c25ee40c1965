/** kindnet goes on without policies when their controller cannot start, and nothing tells: images/kindnetd of kubernetes-sigs/kind. */
import { PLAIN_CAPABILITIES, type RefusedRow, supporting } from './row.ts';

export const KINDNET: RefusedRow = {
  name: 'kindnet',
  title: 'kindnet',
  daemonSets: ['kindnet'],
  insteadOf: [],
  api: {
    group: 'networking.k8s.io',
    version: 'v1',
    kind: 'NetworkPolicy',
    field: ['spec', 'egress', '[]', 'to', '[]', 'ipBlock'],
  },
  switches: [],
  supports: supporting(...PLAIN_CAPABILITIES),
  composition: 'union',
  needed: 'a kindnet that fails closed; install a provider that AgentPlane emits for',
};
