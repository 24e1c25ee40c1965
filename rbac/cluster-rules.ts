/** What no namespaced Role can grant. As rules.ts, the single input to chart, report and tests. */
import type { Grant, Identity, Rule } from './rules.ts';

/** A rule of a ClusterRole: about what belongs to no namespace, and never about every object. */
export interface ClusterRule extends Omit<Rule, 'resourceNames' | 'resourceNamesFrom' | 'when'> {
  /** As for `Rule`. */
  readonly resourceNamesFrom: 'runtimeClasses';
}

/**
 * The one right that no Role can grant, since RuntimeClasses belong to the cluster: a ClusterRole, rendered where the platform admin lists
 * them, and bound to the inventory of each install that is listed.
 */
export const runtimeClassesRead = {
  identity: 'agentplane-inventory',
  role: 'agentplane-inventory-runtimeclasses',
  chart: 'agentplane-cluster',
  rule: {
    apiGroup: 'node.k8s.io',
    resource: 'runtimeclasses',
    verbs: ['get'],
    resourceNamesFrom: 'runtimeClasses',
    why: 'Whether the RuntimeClasses that profiles may name exist: by name, as the platform admin lists them.',
  },
} as const satisfies { identity: Identity; role: string; chart: Grant['chart']; rule: ClusterRule };
