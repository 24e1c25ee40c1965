/** The destinations of a rule: cilium/cilium:pkg/policy/api/egress.go, and pkg/policy/utils/parserules.go for what empty lists mean. */
import { ALL_BLOCKS, readBlock } from './addresses.ts';
import { type PortOptions, readNames } from './cilium-ports.ts';
import { clusterNameOf, type EndpointSelector, readEndpointSelector } from './cilium-selector.ts';
import { CLUSTER_LABEL } from './identity.ts';
import { allRead, isAbsent, isString, type Json, objectsOf, stringsOf } from './json.ts';
import { unknownPeer } from './reading.ts';
import { isIn, NAMESPACE_NAME, satisfies } from './selectors.ts';
import type { Entity, Peer, Requirement, World } from './types.ts';

export interface PeerContext extends PortOptions {
  /** The namespace of the policy. */
  readonly namespace: string;
  readonly world: World;
  /** Where in the policy the rule is, for messages: `spec.egress[0]`. */
  readonly path: string;
  /** Whether this version of Cilium takes an empty list of destinations for none. */
  readonly emptyIsNone: boolean;
}

/** `anywhere` where the rule names no destination at all. */
export type Peers = 'anywhere' | readonly Peer[];

type ReadList = (value: unknown, context: PeerContext) => readonly Peer[] | undefined;

const READERS: Readonly<Record<string, ReadList>> = {
  toEndpoints: (value, context) => allRead(objectsOf(value), (selector) => readEndpoints(selector, context))?.flat(),
  toCIDR: (value) => allRead(stringsOf(value), readCidr),
  toCIDRSet: (value, context) => allRead(objectsOf(value), (block) => readCidrRule(block, context)),
  toEntities: (value, context) => allRead(stringsOf(value), (entity) => readEntity(entity, context))?.flat(),
  toFQDNs: (value, context) => {
    const names = readNames(value, context);
    return names && [{ kind: 'names', names }];
  },
  toServices: (value, { path }) => [unknownPeer(`${path}.toServices`, value)],
  toGroups: (value, { path }) => [unknownPeer(`${path}.toGroups`, value)],
  toNodes: (value, { path }) => [unknownPeer(`${path}.toNodes`, value)],
  // Until 1.18 it narrowed the other rules, which is not computed.
  toRequires: (value, { path }) => [unknownPeer(`${path}.toRequires`, value)],
};

/** Lists of which an empty one is no destination, while of the others it is as if they were absent. */
const NONE_IF_EMPTY = ['toEndpoints', 'toCIDR', 'toCIDRSet', 'toEntities', 'toNodes'];

/** Undefined when Cilium refuses the rule, as it does every combination of destinations. */
export function readPeers(rule: Json, context: PeerContext): Peers | undefined {
  const given = Object.keys(READERS).filter((field) => !isAbsent(rule[field]));
  const isEmpty = (field: string) => Array.isArray(rule[field]) && rule[field].length === 0;
  const empty = given.find((field) => NONE_IF_EMPTY.includes(field) && isEmpty(field));
  // Before that was mended, a list that came out empty opened everything: CVE-2025-64715.
  if (empty !== undefined) return context.emptyIsNone ? [] : [unknownPeer(`${context.path}.${empty}`, rule[empty])];
  const [field, ...others] = given.filter((name) => !isEmpty(name));
  if (field === undefined) return 'anywhere';
  return others.length > 0 ? undefined : READERS[field]?.(rule[field], context);
}

function readCidr(cidr: string): Peer | undefined {
  return readBlock(cidr) && { kind: 'cidr', cidr, except: [], inCluster: false };
}

/** Unlike `toCIDR`, it takes no address without a length, and no exception outside of its block. */
function readCidrRule(rule: Json, { path }: PeerContext): Peer | undefined {
  const { cidr, cidrGroupRef, cidrGroupSelector } = rule;
  if (!isAbsent(cidrGroupRef) || !isAbsent(cidrGroupSelector)) return unknownPeer(`${path}.toCIDRSet`, rule);
  const except = stringsOf(rule.except);
  const block = isString(cidr) && cidr.includes('/') ? readBlock(cidr) : undefined;
  if (!isString(cidr) || except === undefined || block === undefined) return undefined;
  const holes = allRead(except, (hole) => (hole.includes('/') ? readBlock(hole) : undefined));
  const isWithin = holes?.every(({ from, to }) => block.from <= from && to <= block.to);
  return isWithin ? { kind: 'cidr', cidr, except, inCluster: false } : undefined;
}

const NODES_AND_MORE = ['host', 'remote-node', 'kube-apiserver', 'health', 'init', 'ingress', 'unmanaged'] as const;

/** Entities: cilium/cilium:pkg/policy/api/entity.go. */
function readEntity(name: string, { path }: PeerContext): readonly Peer[] | undefined {
  const [everyIPv4, everyIPv6] = ALL_BLOCKS.map((cidr): Peer => ({ kind: 'cidr', cidr, except: [], inCluster: false }));
  const cluster: readonly Peer[] = [
    { kind: 'pods', namespaces: [], pods: [] },
    ...NODES_AND_MORE.map((entity) => ({ kind: 'entity', entity }) as const),
  ];
  switch (name) {
    case 'all':
      return [{ kind: 'everything' }];
    case 'none':
      return [];
    case 'world':
      return [everyIPv4, everyIPv6].filter((peer) => peer !== undefined);
    case 'world-ipv4':
      return everyIPv4 && [everyIPv4];
    case 'world-ipv6':
      return everyIPv6 && [everyIPv6];
    case 'cluster':
      return cluster;
    case 'cluster-mesh':
      return [...cluster, unknownPeer(`${path}.toEntities`, name)];
    default:
      return isEntity(name) ? [{ kind: 'entity', entity: name }] : undefined;
  }
}

function isEntity(name: string): name is Entity {
  return NODES_AND_MORE.some((entity) => entity === name);
}

/** A selector of pods is of the policy's own namespace, unless it says something about the namespace, and of the own cluster. */
function readEndpoints(value: Json, context: PeerContext): readonly Peer[] | undefined {
  const selector = readEndpointSelector(value);
  if (selector === undefined) return undefined;
  if (selector.reserved.length > 0) return readReserved(value, selector, context);
  const { pods, clusters } = selector;
  const own = isIn(NAMESPACE_NAME, context.namespace);
  const namespaces = selector.namespaces.length > 0 ? selector.namespaces : [own];
  const clusterName = clusterNameOf(context.world);
  const isHere = satisfies(clusters, { [CLUSTER_LABEL]: clusterName });
  const peers: readonly Peer[] = isHere ? [{ kind: 'pods', namespaces, pods }] : [];
  const inNamespace = namespaces.some(({ operator }) => operator === 'In' || operator === 'Exists');
  const onlyHere = clusters.length === 0 || clusters.some((cluster) => admitsOnly(cluster, clusterName));
  // Without these it also selects what is no pod, or what is in another cluster.
  return inNamespace && onlyHere ? peers : [...peers, unknownPeer(`${context.path}.toEndpoints`, value)];
}

function admitsOnly({ operator, values }: Requirement, value: string): boolean {
  return operator === 'In' && values.every((admitted) => admitted === value);
}

/** One reserved label, which stands for the entity of that name; what more such a selector may say is not computed. */
function readReserved(value: Json, selector: EndpointSelector, context: PeerContext): readonly Peer[] | undefined {
  const [only, ...others] = Object.values(selector).flat();
  const isPlain = only !== undefined && (only.operator === 'Exists' || admitsOnly(only, ''));
  const known = isPlain && others.length === 0 ? readEntity(only.key, context) : undefined;
  return known ?? [unknownPeer(`${context.path}.toEndpoints`, value)];
}
