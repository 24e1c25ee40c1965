import type { JsonMap } from '../../constructs/expr/json.ts';
import type { ReleaseProps } from './synth-static.ts';

/** The install that reviewers are shown: one governed namespace, and everything that widens a Role switched on. */
export const example: {
  readonly release: ReleaseProps;
  /** By chart. */
  readonly values: Readonly<Record<string, JsonMap>>;
} = {
  release: { name: 'agentplane', namespace: 'agentplane-system' },
  values: {
    agentplane: {
      governedNamespaces: [{ name: 'agents', secrets: ['model-key'] }],
      cilium: { enabled: true },
      admission: { enabled: true },
      probe: { enabled: true, namespace: 'agentplane-canaries' },
    },
    'agentplane-cluster': { installs: [{ namespace: 'agentplane-system' }] },
  },
};
