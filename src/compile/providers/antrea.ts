/** Antrea. antrea-io/antrea: docs/antrea-network-policy.md, docs/feature-gates.md. */
import { PLAIN_CAPABILITIES, type RefusedRow, supporting } from './row.ts';

export const ANTREA: RefusedRow = {
  name: 'antrea',
  title: 'Antrea',
  daemonSets: ['antrea-agent'],
  insteadOf: [],
  api: {
    group: 'crd.antrea.io',
    version: 'v1beta1',
    kind: 'NetworkPolicy',
    field: ['spec', 'egress', '[]', 'to', '[]', 'fqdn'],
  },
  configMap: 'antrea-config',
  switches: [
    // The CRDs are served without the gate as well, and ignored.
    {
      key: 'antrea-agent.conf',
      absent: '',
      fine: (text) => !/^\s*AntreaPolicy:\s*false\b/m.test(text),
      reason: 'AntreaPolicyDisabled',
      removes: 'all',
    },
  ],
  // `*` is any number of labels: toRegex in pkg/agent/controller/networkpolicy/fqdn.go.
  supports: supporting(...PLAIN_CAPABILITIES, 'domain.exact', 'domain.anyDepth'),
  // Tiers and priorities: another policy of a higher tier comes before ours.
  composition: 'ordered',
  needed:
    'an emitter for NetworkPolicy of crd.antrea.io/v1beta1 that sets tier and priority and waits for status.phase Realized on every node',
};
