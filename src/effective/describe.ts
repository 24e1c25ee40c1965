/** Grants in words, for status messages and for people who read a difference. */
import { ACCOUNT_LABEL } from './identity.ts';
import { textOf } from './names.ts';
import { TOO_COMPLEX } from './reading.ts';
import { NAMESPACE_NAME } from './selectors.ts';
import type { Entity, Grant, Layer7, Peer, Ports, Requirement } from './types.ts';

/** More of a list than this is only counted. */
const LISTED = 5;

/** `203.0.113.0/24 except 203.0.113.128/25 on TCP 443`. Values come from policies and are not escaped. */
export function describeGrant({ peer, ports, layer7 }: Grant): string {
  const on = ports === 'all' ? 'all ports' : list(ports.map(describePorts));
  return `${describePeer(peer)} on ${on}${layer7 === undefined ? '' : describeLayer7(layer7)}`;
}

function describePeer(peer: Peer): string {
  switch (peer.kind) {
    case 'everything':
      return 'every destination';
    case 'cidr':
      return `${describeBlock(peer.cidr, peer.inCluster)}${peer.except.length > 0 ? ` except ${list(peer.except)}` : ''}`;
    case 'pods':
      return describePods(peer.namespaces, peer.pods);
    case 'names':
      return list(peer.names.map((name) => (textOf(name) === '*' ? 'every DNS name' : textOf(name))));
    case 'entity':
      return ENTITIES[peer.entity];
    case 'unknown':
      if (peer.what === TOO_COMPLEX) return 'what is too complex to compare,';
      return `what ${peer.what} selects, which cannot be told from the policy,`;
  }
}

function describeBlock(cidr: string, inCluster: boolean): string {
  const family = cidr === '0.0.0.0/0' ? 'IPv4' : cidr === '::/0' ? 'IPv6' : undefined;
  if (family === undefined) return cidr;
  return `every ${family} address${inCluster ? '' : ' outside the cluster'}`;
}

const ENTITIES: Readonly<Record<Entity, string>> = {
  host: "the pod's own node",
  'remote-node': 'every other node',
  'kube-apiserver': 'the API server',
  health: "Cilium's health endpoints",
  init: 'pods that are starting',
  ingress: "Cilium's ingress",
  unmanaged: 'pods that Cilium does not manage',
};

function describePods(namespaces: readonly Requirement[], pods: readonly Requirement[]): string {
  const which = pods.length === 0 ? 'every pod' : `pods with ${list(pods.map(describeRequirement))}`;
  const [only] = namespaces;
  if (only === undefined) return `${which} in every namespace`;
  const named = namespaces.length === 1 && only.key === NAMESPACE_NAME && only.operator === 'In';
  if (named) return `${which} in namespace ${list(only.values, ' or ')}`;
  return `${which} in namespaces with ${list(namespaces.map(describeRequirement))}`;
}

function describeRequirement({ key, operator, values }: Requirement): string {
  const label = key === ACCOUNT_LABEL ? 'ServiceAccount' : key === NAMESPACE_NAME ? 'name' : key;
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${label}=${values[0]}` : `${label} in (${list(values)})`;
    case 'NotIn':
      return values.length === 1 ? `${label}!=${values[0]}` : `${label} not in (${list(values)})`;
    case 'Exists':
      return `the label ${label}`;
    case 'DoesNotExist':
      return `no label ${label}`;
  }
}

function describePorts(port: Ports): string {
  if ('name' in port) return `${port.protocol} port "${port.name}"`;
  const { protocol, from, to } = port;
  if (protocol === 'other') return 'other protocols';
  const isMessage = protocol === 'ICMP' || protocol === 'ICMPv6';
  if (to === 65_535 && from <= 1) return `all ${protocol} ${isMessage ? 'types' : 'ports'}`;
  return `${protocol}${isMessage ? ' type' : ''} ${from === to ? from : `${from}-${to}`}`;
}

function describeLayer7(layer7: Layer7): string {
  switch (layer7.kind) {
    case 'dns':
      return `, for DNS queries of ${list(layer7.names.map(textOf))}`;
    case 'tls':
      return `, for TLS to ${list(layer7.names.map(textOf))}`;
    case 'other':
      return ', as far as further rules of the policy let it';
  }
}

function list(items: readonly (string | undefined)[], separator = ', '): string {
  const shown = items.slice(0, LISTED).join(separator);
  return items.length > LISTED ? `${shown} and ${items.length - LISTED} more` : shown;
}
