/** What of one namespace a comparison rests on, as it was read from a cluster. */
import { FLOOR_NAME, PROFILE_LABEL } from '../api/meta.ts';
import type { Facts } from '../compile/facts.ts';
import { floorState } from '../compile/floor.ts';
import { providerRow } from '../compile/providers.ts';
import { effectiveEgress } from '../effective/evaluate.ts';
import type { Egress, PolicySet, World } from '../effective/types.ts';
import type { Site } from '../explain/judge.ts';
import type { KubeObject } from '../kube/types.ts';

export interface Live {
  readonly namespace: string;
  readonly profiles: readonly KubeObject[];
  readonly policies: readonly KubeObject[];
  /** Every NetworkPolicy and CiliumNetworkPolicy, also those of others: they add up. */
  readonly outputs: readonly KubeObject[];
}

/** Whose egress is asked for. */
export interface Account {
  readonly namespace: string;
  readonly serviceAccountName: string;
  readonly profile: string;
}

export function siteOf(live: Live, world: Pick<Site, 'facts' | 'limits' | 'now'>): Site {
  const row = world.facts.state === 'Known' ? providerRow(world.facts.provider.name) : undefined;
  const floor = live.outputs.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === FLOOR_NAME);
  return {
    namespace: live.namespace,
    profiles: live.profiles,
    policies: live.policies,
    floor: floorState(floor, live.namespace, row?.selectsBy ?? 'account'),
    ...world,
  };
}

/** Of a pod of the account that has no labels but the one that names its profile. */
export function egressOf(account: Account, outputs: readonly unknown[], facts: Facts): Egress {
  const { namespace, serviceAccountName, profile } = account;
  const subject = { namespace, serviceAccountName, labels: { [PROFILE_LABEL]: profile } };
  return effectiveEgress(subject, policySet(outputs), worldOf(facts));
}

function policySet(outputs: readonly unknown[]): PolicySet {
  const ofKind = (kind: string) =>
    outputs.filter((object) => (object as { readonly kind?: unknown } | null)?.kind === kind);
  return { networkPolicies: ofKind('NetworkPolicy'), ciliumPolicies: ofKind('CiliumNetworkPolicy') };
}

function worldOf(facts: Facts): World {
  if (facts.state !== 'Known' || facts.provider.name !== 'cilium') return { provider: 'networkpolicy' };
  const { version } = facts.provider;
  return { provider: 'cilium', ...(version === undefined ? {} : { version }) };
}
