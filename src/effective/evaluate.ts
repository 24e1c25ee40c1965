import { readCiliumPolicy } from './cilium-policy.ts';
import { readNetworkPolicy } from './network-policy.ts';
import type { Egress, Grant, PolicySet, Subject, World } from './types.ts';

/** What a pod may reach that no policy restricts. */
const UNRESTRICTED: Grant = { peer: { kind: 'everything' }, ports: 'all' };

/**
 * What the policies allow the pod to reach. Pure and total: what cannot be read is an `unknown` grant, never an error.
 *
 * Not looked at: cluster-wide policies of any kind, host networking, a policy mode of the agent other than its default, label filters, and
 * the pod's own node, to which NetworkPolicy always allows traffic while Cilium does not.
 */
export function effectiveEgress(subject: Subject, policies: PolicySet, world: World): Egress {
  const ciliumPolicies = world.provider === 'cilium' ? policies.ciliumPolicies : [];
  const readings = [
    ...policies.networkPolicies.map((policy) => readNetworkPolicy(policy, subject, world)),
    ...ciliumPolicies.map((policy) => readCiliumPolicy(policy, subject, world)),
  ];
  const isolated = readings.some(({ isolates }) => isolates);
  const grants = readings.flatMap((reading) => reading.grants);
  return {
    isolated,
    grants: isolated ? grants : [...grants, UNRESTRICTED],
    denies: readings.flatMap(({ denies }) => denies),
  };
}
