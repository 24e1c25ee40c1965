/** NetworkPolicy as defined in kubernetes/kubernetes:staging/src/k8s.io/api/networking/v1/types.go. */
import { readBlocks } from './addresses.ts';
import { identityLabels } from './identity.ts';
import { allRead, isAbsent, isObject, isString, type Json, objectOf, objectsOf, stringsOf } from './json.ts';
import { mayOpen, type Reading, refOf, SAYS_NOTHING } from './reading.ts';
import { isIn, NAMESPACE_NAME, readSelector, satisfies } from './selectors.ts';
import type { Grant, Labels, Peer, PolicyRef, Ports, Subject, World } from './types.ts';
import { isLongSelector } from './weigh.ts';

const MAX_PORT = 65_535;

/** False for a policy that is about other pods, told without reading more than its selector. */
export function mayRestrict({ spec }: Json, subject: Subject, world: World): boolean {
  const podSelector = objectOf(spec)?.podSelector;
  if (isLongSelector(podSelector)) return true;
  const selector = readSelector(podSelector);
  return selector === undefined || satisfies(selector, labelsOf(subject, world));
}

function labelsOf(subject: Subject, { provider }: World): Labels {
  return provider === 'cilium' ? identityLabels(subject) : subject.labels;
}

export function readNetworkPolicy(policy: unknown, subject: Subject, world: World): Reading {
  if (!isObject(policy)) return SAYS_NOTHING;
  const source = refOf('NetworkPolicy', policy);
  if (source.namespace !== subject.namespace) return SAYS_NOTHING;
  const spec = objectOf(policy.spec);
  const selector = spec && readSelector(spec.podSelector);
  if (spec === undefined || selector === undefined) return mayOpen(source, 'spec.podSelector', spec?.podSelector);
  if (!satisfies(selector, labelsOf(subject, world))) return SAYS_NOTHING;
  const types = stringsOf(spec.policyTypes);
  const rules = objectsOf(spec.egress);
  if (types === undefined || rules === undefined) return mayOpen(source, 'spec', spec);
  if (!concernsEgress(types, rules, world)) return SAYS_NOTHING;
  const grants = allRead(rules, (rule) => readRule(rule, source, world));
  return grants === undefined
    ? mayOpen(source, 'spec.egress', spec.egress)
    : { isolates: true, grants: grants.flat(), denies: [] };
}

/**
 * The default, where no types are listed, is what the API server fills in. Rules that the types leave out count for nothing by
 * definition, but Cilium enforces them all the same: cilium/cilium:pkg/k8s/network_policy.go, ParseNetworkPolicy.
 */
function concernsEgress(types: readonly string[], rules: readonly unknown[], { provider }: World): boolean {
  if (types.includes('Egress')) return true;
  return rules.length > 0 && (types.length === 0 || provider === 'cilium');
}

function readRule(rule: Json, source: PolicyRef, world: World): readonly Grant[] | undefined {
  const peers = allRead(objectsOf(rule.to), (peer) => readPeer(peer, source.namespace, world));
  const ports = allRead(objectsOf(rule.ports), readPorts);
  if (peers === undefined || ports === undefined) return undefined;
  const everywhere: Peer = { kind: 'everything' };
  return (peers.length === 0 ? [everywhere] : peers).map((peer) => ({
    peer,
    ports: ports.length === 0 ? 'all' : ports,
    source,
  }));
}

function readPeer({ ipBlock, podSelector, namespaceSelector }: Json, own: string, world: World): Peer | undefined {
  if (!isAbsent(ipBlock)) return isAbsent(podSelector ?? namespaceSelector) ? readIpBlock(ipBlock, world) : undefined;
  if (isAbsent(podSelector) && isAbsent(namespaceSelector)) return undefined;
  const pods = readSelector(podSelector);
  const namespaces = isAbsent(namespaceSelector) ? [isIn(NAMESPACE_NAME, own)] : readSelector(namespaceSelector);
  return pods && namespaces && { kind: 'pods', namespaces, pods };
}

function readIpBlock(block: unknown, { provider }: World): Peer | undefined {
  if (!isObject(block)) return undefined;
  const { cidr } = block;
  const except = stringsOf(block.except);
  if (!isString(cidr) || except === undefined || readBlocks(cidr, except) === undefined) return undefined;
  // Whether an address of a pod or node is meant is left to the implementation; Cilium never means one.
  return { kind: 'cidr', cidr, except, inCluster: provider !== 'cilium' };
}

function readPorts({ protocol = 'TCP', port, endPort }: Json): Ports | undefined {
  if (protocol !== 'TCP' && protocol !== 'UDP' && protocol !== 'SCTP') return undefined;
  if (isAbsent(port)) return { protocol, from: 0, to: MAX_PORT };
  if (isString(port)) return { protocol, name: port };
  const from = readNumber(port);
  const to = isAbsent(endPort) ? from : readNumber(endPort);
  return from === undefined || to === undefined || to < from ? undefined : { protocol, from, to };
}

function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_PORT ? value : undefined;
}
