import { mayConcern, readCiliumPolicy } from './cilium-policy.ts';
import { isObject, type Json } from './json.ts';
import { mayRestrict, readNetworkPolicy } from './network-policy.ts';
import { readWithin } from './read-within.ts';
import { refOf } from './reading.ts';
import type { Egress, Grant, PolicyRef, PolicySet, Subject, World } from './types.ts';

/** What a pod may reach that no policy restricts. */
const UNRESTRICTED: Grant = { peer: { kind: 'everything' }, ports: 'all' };

/**
 * What the policies allow the pod to reach. Pure and total: what cannot be read is an `unknown` grant, never an error, and so is
 * what is too much to be read.
 *
 * Not looked at: cluster-wide policies of any kind, host networking, a policy mode of the agent other than its default, label filters, and
 * the pod's own node, to which NetworkPolicy always allows traffic while Cilium does not.
 */
export function effectiveEgress(subject: Subject, policies: PolicySet, world: World): Egress {
  const ciliumPolicies = world.provider === 'cilium' ? policies.ciliumPolicies : [];
  const readings = readWithin([
    ...about(subject, 'NetworkPolicy', policies.networkPolicies)
      .filter(({ policy }) => mayRestrict(policy, subject, world))
      .map(({ policy, source }) => ({ policy, source, read: () => readNetworkPolicy(policy, subject, world) })),
    ...about(subject, 'CiliumNetworkPolicy', ciliumPolicies)
      .filter(({ policy }) => mayConcern(policy, subject, world))
      .map(({ policy, source }) => ({ policy, source, read: () => readCiliumPolicy(policy, subject, world) })),
  ]);
  const isolated = readings.some(({ isolates }) => isolates);
  const grants = readings.flatMap((reading) => reading.grants);
  return {
    isolated,
    grants: isolated ? grants : [...grants, UNRESTRICTED],
    denies: readings.flatMap(({ denies }) => denies),
  };
}

function about(
  { namespace }: Subject,
  kind: PolicyRef['kind'],
  policies: readonly unknown[],
): readonly { readonly policy: Json; readonly source: PolicyRef }[] {
  return policies
    .filter(isObject)
    .map((policy) => ({ policy, source: refOf(kind, policy) }))
    .filter(({ source }) => source.namespace === namespace);
}
