/** What a row of the table of providers says. The table itself: `../providers.ts`. */
import type { Capability, ProviderName } from '../../api/capability.ts';
import { compareVersions, parseVersion } from '../version.ts';

/** What a provider's policies select pods by. */
export type Selection = 'account' | 'label';

/**
 * How a policy goes together with what others say about the same pod: `union` adds up, so that a floor can be opened; `ordered` has
 * priorities, so that another policy may come first; `and` only takes away; `cooperative` binds nobody who does not want to be.
 */
export type Composition = 'union' | 'ordered' | 'and' | 'cooperative';

/** An API, recognised by a field of its published schema: groups and kinds have look-alikes, and CRDs stay when a provider goes. */
export interface ApiField {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** A path of property names; `[]` steps into the items of a list. */
  readonly field: readonly string[];
}

/** A setting that takes capabilities away unless its value is fine. */
export interface Switch {
  /** A key of the provider's ConfigMap, or a flag of its agent such as `--run-firewall`. */
  readonly key: string;
  /** The one DaemonSet that has this flag, where the row knows several. */
  readonly daemonSet?: string;
  /** The value that the provider assumes when the key is absent. */
  readonly absent: string;
  /** `resolverLabels` are the keys of the labels that the resolver's pods are selected by. */
  readonly fine: (value: string, resolverLabels: readonly string[]) => boolean;
  readonly reason: string;
  readonly removes: readonly Capability[] | 'all';
}

export interface Support {
  readonly capability: Capability;
  /** The first version that has it. */
  readonly since?: string;
}

interface CommonRow {
  readonly name: ProviderName;
  /** As people know it. */
  readonly title: string;
  /** DaemonSets of the system namespace, any of which is the provider's agent. Empty: it has none there, only its API tells. */
  readonly daemonSets: readonly string[];
  /** What must be there as well, where another provider has the same agents. */
  readonly toldApartBy?: { readonly daemonSet: string } | 'api';
  /** Providers that this one is mistaken for. They are out of the question where it runs, pinned or not. */
  readonly insteadOf: readonly ProviderName[];
  /** The API that policies are written to. */
  readonly api: ApiField;
  readonly configMap?: string;
  readonly switches: readonly Switch[];
  /** What a usual installation sets where the value assumed for an absent key is not usual. */
  readonly usual?: Readonly<Record<string, string>>;
  /** What it can express when everything is as it should be. */
  readonly supports: readonly Support[];
  readonly composition: Composition;
}

/** A provider that policies are compiled for. */
export interface EmittedRow extends CommonRow {
  readonly selectsBy: Selection;
  /** The container of the DaemonSet whose image tag is the provider's version. */
  readonly versionContainer?: string;
  /** The oldest version that what we emit is right for, and the one that it is proven on. */
  readonly versions?: { readonly minimum: string; readonly proven: string };
  /** Why it cannot express the rest. */
  readonly lacks: readonly { readonly capability: Capability; readonly reason: string }[];
  /** Pod labels that a rule cannot select by: the provider leaves them out of a pod's identity, or means something else by them. */
  readonly unselectableLabels: readonly RegExp[];
}

/** A provider that is recognised, so that it can be refused by name. */
export interface RefusedRow extends CommonRow {
  /** What would have to be built or changed; goes on after "that would take". */
  readonly needed: string;
}

export type ProviderRow = EmittedRow | RefusedRow;

export function isRefused(row: ProviderRow): row is RefusedRow {
  return 'needed' in row;
}

/** Why the provider, of this version, never has the capability; undefined when nothing but the cluster's settings can take it away. */
export function lackOf(row: EmittedRow, capability: Capability, version: string | undefined): string | undefined {
  const lack = row.lacks.find((item) => item.capability === capability);
  if (lack !== undefined) return lack.reason;
  const support = row.supports.find((item) => item.capability === capability);
  if (support === undefined) return 'NotImplemented';
  if (support.since === undefined) return undefined;
  const known = parseVersion(version ?? '') ?? '0.0.0';
  return compareVersions(known, support.since) < 0 ? 'ProviderTooOld' : undefined;
}

/** Exactly one of these values. */
export const is =
  (...values: readonly string[]) =>
  (value: string): boolean =>
    values.includes(value);

export const supporting = (...capabilities: readonly Capability[]): readonly Support[] =>
  capabilities.map((capability) => ({ capability }));

export const NAME_CAPABILITIES: readonly Capability[] = [
  'domain.exact',
  'domain.oneLabel',
  'domain.anyDepth',
  'domain.tlsServerName',
  'dns.filter',
];

/** Capabilities that rest on pods asking the resolver's pods, not an address of their node. */
export const NEEDS_RESOLVER_PODS: readonly Capability[] = [
  'dns.clusterResolver',
  'dns.filter',
  'domain.exact',
  'domain.oneLabel',
  'domain.anyDepth',
];

/** What every implementation of networking.k8s.io/v1 NetworkPolicy can express. */
export const PLAIN_CAPABILITIES: readonly Capability[] = [
  'isolation',
  'cidr',
  'cidr.except',
  'ports.range',
  'dns.clusterResolver',
  'workloads',
  'kubeAPIServer',
];
