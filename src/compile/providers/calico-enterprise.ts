/**
 * Calico Enterprise and Cloud, told from Calico by `destination.domains`: docs.tigera.io, "domain-based policy". Calico itself has no
 * such field (projectcalico/calico#4025), and its API server would prune it: a rule for a name would become one for everything.
 */
import { PLAIN_CAPABILITIES, type RefusedRow, supporting } from './row.ts';

export const CALICO_ENTERPRISE: RefusedRow = {
  name: 'calico-enterprise',
  title: 'Calico Enterprise',
  daemonSets: ['calico-node'],
  toldApartBy: 'api',
  insteadOf: ['k8s-networkpolicy'],
  api: {
    group: 'projectcalico.org',
    version: 'v3',
    kind: 'NetworkPolicy',
    field: ['spec', 'egress', '[]', 'destination', 'domains'],
  },
  switches: [],
  // `*` is one or more labels.
  supports: supporting(...PLAIN_CAPABILITIES, 'domain.exact', 'domain.anyDepth'),
  composition: 'ordered',
  needed:
    'an emitter for NetworkPolicy of projectcalico.org/v3 that sets tier and order and compares every field that is read back',
};
