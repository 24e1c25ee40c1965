/** Whether an egress allows one flow, straight from its grants: what `openings` computes with sets is checked against this. */
import { readAddress, readBlock } from './addresses.ts';
import { identityLabels } from './identity.ts';
import { covers, normalizeName, textOf } from './names.ts';
import { isSinglePort } from './ports.ts';
import { namespaceSatisfies, satisfies } from './selectors.ts';
import type { Decision, Destination, Egress, Flow, Grant, NamePattern, Peer, Ports } from './types.ts';

/** Undefined where it cannot be told. */
type Answer = boolean | undefined;

/** Whether the egress allows the flow, and which policy says so. A denial that cannot be told is not counted. */
export function decide({ isolated, grants, denies }: Egress, flow: Flow): Decision {
  const denial = denies.find((grant) => reaches(grant, flow) === true);
  if (denial !== undefined) return { allowed: false, ...by(denial) };
  const reaching = grants
    .map((grant) => ({ grant, answer: reaches(grant, flow) }))
    .filter(({ answer }) => answer !== false);
  const certain = reaching.filter(({ answer }) => answer === true).map(({ grant }) => grant);
  // Cilium lets everything through its filters while nothing isolates the pod: cilium/cilium:pkg/policy/l4.go, ensureWildcard.
  const filtered = isolated && certain.some(({ layer7 }) => layer7?.kind === 'dns');
  const counted = filtered
    ? certain.filter((grant) => grant.layer7 !== undefined || isOfExactPort(grant, flow))
    : certain;
  const allowing = counted.find((grant) => passes(grant, flow) === true);
  if (allowing !== undefined) return { allowed: true, ...by(allowing) };
  const uncertain = reaching.filter(({ grant, answer }) => answer === undefined || passes(grant, flow) === undefined);
  const unknown = uncertain.flatMap(({ grant: { source } }) => source ?? []);
  return unknown.length === 0 ? { allowed: false } : { allowed: false, unknown };
}

function by({ source }: Grant): Pick<Decision, 'by'> {
  return source === undefined ? {} : { by: source };
}

function reaches({ peer, ports }: Grant, flow: Flow): Answer {
  return both(isPeer(peer, flow.to), ports === 'all' || either(ports.map((port) => isPort(port, flow))));
}

function isOfExactPort({ ports }: Grant, flow: Flow): boolean {
  return ports !== 'all' && ports.some((port) => isSinglePort(port) && isPort(port, flow) === true);
}

function isPort(port: Ports, { protocol, port: number, to }: Flow): Answer {
  if (port.protocol !== protocol) return false;
  if ('from' in port) return port.from <= number && number <= port.to;
  // The names of ICMP types are not resolved.
  if (protocol !== 'TCP' && protocol !== 'UDP' && protocol !== 'SCTP') return undefined;
  if (to.kind !== 'pod') return false;
  return to.namedPorts && to.namedPorts[port.name] === number;
}

function isPeer(peer: Peer, to: Destination): Answer {
  switch (peer.kind) {
    case 'everything':
      return true;
    case 'cidr':
      if (to.kind !== 'external' && !peer.inCluster && !isOutside(to)) return false;
      return to.address === undefined ? undefined : isInBlock(peer, to.address);
    case 'names':
      return to.kind === 'external' && (to.names ?? []).some((name) => matches(peer.names, name));
    case 'pods':
      return to.kind === 'pod' && isSelected(peer, to);
    case 'entity':
      return entitiesOf(to).includes(peer.entity);
    case 'unknown':
      return undefined;
  }
}

function isOutside(to: Destination): boolean {
  return to.kind === 'kube-apiserver' && to.node === undefined;
}

function isInBlock({ cidr, except }: Extract<Peer, { kind: 'cidr' }>, text: string): Answer {
  const address = readAddress(text);
  return address === undefined ? undefined : isIn(cidr, address) && !except.some((hole) => isIn(hole, address));
}

function isIn(cidr: string, address: bigint): boolean {
  const block = readBlock(cidr);
  return block !== undefined && block.from <= address && address <= block.to;
}

function isSelected(
  { namespaces, pods }: Extract<Peer, { kind: 'pods' }>,
  to: Extract<Destination, { kind: 'pod' }>,
): Answer {
  return both(satisfies(pods, identityLabels(to)), namespaceSatisfies(namespaces, to.namespace, to.namespaceLabels));
}

/** A node that runs the API server has both identities. */
function entitiesOf(to: Destination): readonly string[] {
  switch (to.kind) {
    case 'external':
    case 'pod':
      return [];
    case 'node':
      return [to.node];
    case 'kube-apiserver':
      return to.node === undefined ? ['kube-apiserver'] : ['kube-apiserver', to.node];
  }
}

function passes({ layer7 }: Grant, { query, serverName }: Flow): Answer {
  switch (layer7?.kind) {
    case undefined:
      return true;
    case 'dns':
      return query !== undefined && matches(layer7.names, query);
    case 'tls':
      return serverName !== undefined && matches(layer7.names, serverName);
    case 'other':
      return undefined;
  }
}

function matches(patterns: readonly NamePattern[], name: string): boolean {
  return patterns.some((pattern) => covers(textOf(pattern), normalizeName(name)));
}

function both(a: Answer, b: Answer): Answer {
  if (a === false || b === false) return false;
  return a === undefined || b === undefined ? undefined : true;
}

function either(answers: readonly Answer[]): Answer {
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}
