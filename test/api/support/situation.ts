/** A situation of a network provider: what is staged, and what the inventory and policies have to say about it. */
import { type CiliumStage, ciliumCluster } from '../../support/staged-cilium.ts';
import type { StagedCluster } from '../../support/staged-cluster.ts';
import type { StagedDaemonSet } from '../../support/staged-daemonset.ts';

export interface Situation {
  readonly name: string;
  readonly cluster: StagedCluster;
  /** Of the inventory's rights in the system namespace, one that is taken away. */
  readonly without?: 'configmaps' | 'daemonsets';
  /** The API of Cilium is served with another field in place of `toFQDNs`. */
  readonly lookAlike?: true;
  readonly provider: string;
  /** `State/Reason` of the capability; that of domains is the same unless told. */
  readonly cidr: string;
  readonly domain?: string;
  /** Part of what the report says to a person. */
  readonly says: string | RegExp;
}

export const SUPPORTED = 'Supported/Declared';
export const NO_EMITTER = { cidr: 'Unsupported/NoEmitter' };
export const AMBIGUOUS = { provider: 'ambiguous', cidr: 'Unsupported/AmbiguousProvider' };
export const NOBODY = { provider: 'none', cidr: 'Unsupported/NoEnforcingProvider' };
export const PLAIN = { provider: 'k8s-networkpolicy', cidr: SUPPORTED, domain: 'Unsupported/NoDomainRules' };
export const RUNS = /runs on 1 of 1 nodes/;

/** Cilium with one thing changed. Refused as a whole, for that reason. */
export function cilium(name: string, stage: CiliumStage, reason: string, says: string | RegExp = RUNS): Situation {
  return { name: `Cilium, ${name}`, cluster: ciliumCluster(stage), provider: 'cilium', cidr: reason, says };
}

export function setting(key: string, value: string, reason: string): Situation {
  return cilium(`${key}: ${value}`, { config: { [key]: value } }, `Unsupported/${reason}`);
}

/** Cilium beside other DaemonSets. */
export function beside(...others: readonly StagedDaemonSet[]): StagedCluster {
  const { daemonSets = [], ...rest } = ciliumCluster();
  return { ...rest, daemonSets: [...daemonSets, ...others] };
}

export const agents = (...names: readonly string[]): StagedCluster => ({ daemonSets: names.map((name) => ({ name })) });

export const HEALTHY: Situation = cilium('healthy', {}, SUPPORTED);
