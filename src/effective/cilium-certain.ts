/**
 * Whether Cilium certainly takes a policy. What it refuses, it refuses as a whole, so a denial counts only in a policy of which every
 * field is one that is checked to the last letter: here, and by the readers of rules. With any other field, it may deny nothing.
 */
import { readPeers } from './cilium-peers.ts';
import { readLayer4 } from './cilium-ports.ts';
import { isAbsent, isObject, isString, type Json, objectsOf, stringsOf } from './json.ts';

const SPEC = ['endpointSelector', 'ingress', 'ingressDeny', 'egress', 'egressDeny', 'enableDefaultDeny', 'description'];
const PEERS = ['Endpoints', 'CIDR', 'CIDRSet', 'Entities', 'FQDNs'];
const RULE = [...PEERS.flatMap((peer) => [`from${peer}`, `to${peer}`]), 'toPorts', 'icmps'];
const PORT_RULE = ['ports', 'rules'];
const PORT = ['port', 'endPort', 'protocol'];
const PROTOCOLS = ['', 'ANY', 'TCP', 'UDP', 'SCTP'];

export function isCertainlyTaken(spec: Json): boolean {
  const rules = ['ingress', 'ingressDeny', 'egress', 'egressDeny'].map((field) => objectsOf(spec[field]));
  if (!hasOnly(spec, SPEC) || !(isAbsent(spec.description) || isString(spec.description))) return false;
  return isSwitch(spec.enableDefaultDeny) && rules.every((list) => list?.every(isCertainRule) === true);
}

function isSwitch(value: unknown): boolean {
  if (isAbsent(value)) return true;
  return isObject(value) && hasOnly(value, ['egress', 'ingress']) && Object.values(value).every(isAbsentOrBoolean);
}

function isAbsentOrBoolean(value: unknown): boolean {
  return isAbsent(value) || typeof value === 'boolean';
}

function isCertainRule(rule: Json): boolean {
  const parts = objectsOf(rule.toPorts);
  if (!hasOnly(rule, RULE) || parts?.every(isCertainPortRule) !== true) return false;
  return blocksOf(rule).every(isPlainBlock) && hasReadableSources(rule) && readLayer4(rule, READ) !== undefined;
}

const READ = { anyDepth: true, withoutLayer7: false } as const;

/** The sources of ingress have the same form as the destinations of egress, which are read with the rule. */
function hasReadableSources(rule: Json): boolean {
  const sources = PEERS.map((peer) => [`to${peer}`, rule[`from${peer}`]] as const);
  const context = { ...READ, namespace: '', world: { provider: 'cilium' }, path: '', emptyIsNone: true } as const;
  return readPeers(Object.fromEntries(sources), context) !== undefined;
}

function isCertainPortRule(part: Json): boolean {
  const { rules, ports } = part;
  const areDns = isAbsent(rules) || (isObject(rules) && hasOnly(rules, ['dns']));
  return hasOnly(part, PORT_RULE) && areDns && objectsOf(ports)?.every(isCertainPort) === true;
}

function isCertainPort(value: Json): boolean {
  const { port, endPort, protocol } = value;
  const isEnd = isAbsent(endPort) || (Number.isInteger(endPort) && Number(endPort) >= 0);
  const isKnown = isAbsent(protocol) || (isString(protocol) && PROTOCOLS.includes(protocol.toUpperCase()));
  return hasOnly(value, PORT) && isString(port) && isEnd && isKnown;
}

function blocksOf(rule: Json): readonly unknown[] {
  const lists = [...(stringsOf(rule.toCIDR) ?? [undefined]), ...(stringsOf(rule.fromCIDR) ?? [undefined])];
  const sets = [objectsOf(rule.toCIDRSet), objectsOf(rule.fromCIDRSet)].map((list) => list ?? [{}]);
  const inSets = sets
    .flat()
    .map((set) => (hasOnly(set, ['cidr', 'except']) ? [set.cidr, ...exceptsOf(set)] : [undefined]));
  return [...lists, ...inSets.flat()];
}

function exceptsOf({ except }: Json): readonly unknown[] {
  return stringsOf(except) ?? [undefined];
}

/** As everybody reads it: neither an IPv4 address within an IPv6 one, nor numbers that begin with a zero or are too long. */
function isPlainBlock(value: unknown): boolean {
  if (!isString(value)) return false;
  const isIPv6 = value.includes(':');
  return isIPv6 ? /^[0-9a-f:]+(\/[0-9]+)?$/i.test(value) && !/[0-9a-f]{5}/i.test(value) : !/(^|[./])0[0-9]/.test(value);
}

/** What is absent in any other field is as good as not there. */
function hasOnly(value: Json, fields: readonly string[]): boolean {
  return Object.keys(value).every((field) => fields.includes(field) || isAbsent(value[field]));
}
