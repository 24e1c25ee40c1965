/** The floor as the chart renders it for `floor: GovernedPods`: the control must be able to stand outside of it. */
import { PROFILE_LABEL } from '../api/meta.ts';
import { CANARY_FLOOR } from './subjects.ts';

export const FLOOR = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  name: CANARY_FLOOR,
  spec: {
    podSelector: { matchExpressions: [{ key: PROFILE_LABEL, operator: 'Exists' }] },
    policyTypes: ['Egress'],
  },
} as const;
