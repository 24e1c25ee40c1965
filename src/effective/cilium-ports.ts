/** `toPorts` and `icmps` of a rule: cilium/cilium:pkg/policy/api/l4.go, l7.go, icmp.go, and what rule_validation.go refuses. */
import { allRead, canonicalJson, isAbsent, isString, type Json, objectOf, objectsOf, stringsOf } from './json.ts';
import { normalizeName, normalizePattern } from './names.ts';
import { isSinglePort } from './ports.ts';
import type { Layer7, NamePattern, Ports, Protocol } from './types.ts';

const MAX_PORT = 65_535;
const MAX_ICMP_TYPE = 255;
const MAX_PORT_NAME = 15;
/** Of one entry: cilium/cilium:pkg/policy/api/rule_validation.go, maxPorts and maxICMPFields. */
const MAX_ENTRIES = 40;

/** Ports, and what is looked at beyond them. */
export interface Layer4 {
  readonly ports: 'all' | readonly Ports[];
  readonly layer7?: Layer7;
}

export interface PortOptions {
  /** Whether this version of Cilium knows `**.`. */
  readonly anyDepth: boolean;
  /** Whether policies with DNS and HTTP rules are refused. */
  readonly withoutLayer7: boolean;
}

/** The parts of a rule, of which each allows what it says. Undefined when Cilium refuses the rule. */
export function readLayer4(rule: Json, options: PortOptions): readonly Layer4[] | undefined {
  const toPorts = allRead(objectsOf(rule.toPorts), (part) => readPortRule(part, options));
  const icmps = allRead(objectsOf(rule.icmps), readIcmps);
  if (toPorts === undefined || icmps === undefined || (toPorts.length > 0 && icmps.length > 0)) return undefined;
  return [...toPorts, ...icmps.map((ports) => ({ ports }))];
}

function readPortRule(part: Json, options: PortOptions): Layer4 | undefined {
  const listed = objectsOf(part.ports);
  const ports = listed && listed.length <= MAX_ENTRIES ? allRead(listed, readPorts)?.flat() : undefined;
  const layer7 = readLayer7(part, options);
  if (ports === undefined || layer7 === undefined) return undefined;
  if (layer7 === 'none') return { ports };
  return isRefused(part, ports, options) ? undefined : { ports, layer7 };
}

/** DNS rules are of single ports, HTTP rules of TCP, and neither of all ports. */
function isRefused({ rules }: Json, ports: readonly Ports[], { withoutLayer7 }: PortOptions): boolean {
  const { dns, http } = objectOf(rules) ?? {};
  if (![dns, http].some(saysSomething)) return false;
  const known = saysSomething(dns)
    ? ports.length > 0 && ports.every((port) => 'name' in port || isSinglePort(port))
    : ports.every(({ protocol }) => protocol === 'TCP');
  return withoutLayer7 || !known || ports.some((port) => 'from' in port && port.from === 0);
}

function readPorts({ port, endPort, protocol }: Json): readonly Ports[] | undefined {
  const protocols = readProtocols(protocol);
  if (protocols === undefined) return undefined;
  if (protocols.every((known) => known === 'other')) {
    // Protocols without ports are taken without one only.
    return isAbsent(port) || port === '' || port === '0' ? [{ protocol: 'other', from: 0, to: MAX_PORT }] : undefined;
  }
  const text = isString(port) ? port : String(port);
  if (/[a-z]/i.test(text))
    return isString(port) && isPortName(port)
      ? protocols.map((known) => ({ protocol: known, name: text.toLowerCase() }))
      : undefined;
  // Go reads a leading zero as octal: nothing may rest on which number was meant.
  if (!/^(0|[1-9][0-9]{0,4})$/.test(text) || Number(text) > MAX_PORT) return undefined;
  const from = Number(text);
  if (from === 0) return protocols.map((known) => ({ protocol: known, from, to: MAX_PORT }));
  const to = typeof endPort === 'number' ? Math.max(from, endPort) : from;
  return to > MAX_PORT ? undefined : protocols.map((known) => ({ protocol: known, from, to }));
}

/** A service name as IANA has them: cilium/cilium:pkg/iana/svcname.go. */
function isPortName(text: string): boolean {
  return text.length <= MAX_PORT_NAME && /^[a-z0-9]+(-[a-z0-9]+)*$/i.test(text);
}

function readProtocols(value: unknown): readonly Protocol[] | undefined {
  if (isAbsent(value)) return ['TCP', 'UDP', 'SCTP'];
  if (!isString(value)) return undefined;
  switch (value.toUpperCase()) {
    case '':
    case 'ANY':
      return ['TCP', 'UDP', 'SCTP'];
    case 'TCP':
      return ['TCP'];
    case 'UDP':
      return ['UDP'];
    case 'SCTP':
      return ['SCTP'];
    case 'ICMP':
      return ['ICMP'];
    case 'ICMPV6':
      return ['ICMPv6'];
    default:
      return ['other'];
  }
}

/** The types of one `icmps` entry. A type with a name is kept as a named port: it stands for a number that is not computed here. */
function readIcmps(rule: Json): readonly Ports[] | undefined {
  const fields = objectsOf(rule.fields);
  if (fields === undefined || fields.length > MAX_ENTRIES) return undefined;
  return allRead(fields, ({ family, type }): Ports | undefined => {
    if (!isAbsent(family) && family !== '' && family !== 'IPv4' && family !== 'IPv6') return undefined;
    const protocol = family === 'IPv6' ? 'ICMPv6' : 'ICMP';
    const number = isString(type) && /^[0-9]+$/.test(type) ? Number(type) : type;
    if (isString(number)) return { protocol, name: number };
    const isType = typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= MAX_ICMP_TYPE;
    return isType ? { protocol, from: number, to: number } : undefined;
  });
}

/** An empty list of rules restricts nothing: cilium/cilium:pkg/policy/api/l4.go, L7Rules.IsEmpty. */
function readLayer7(part: Json, options: PortOptions): Layer7 | 'none' | undefined {
  const rules = objectOf(part.rules);
  const serverNames = stringsOf(part.serverNames);
  if (rules === undefined || serverNames === undefined || serverNames.includes('')) return undefined;
  const { ports: _ports, rules: _rules, serverNames: _names, ...others } = part;
  const { dns, ...otherRules } = rules;
  const names = readNames(dns, options);
  if (names === undefined) return undefined;
  if ([...Object.values(others), ...Object.values(otherRules)].some(saysSomething)) {
    return { kind: 'other', rules: canonicalJson({ ...others, rules, serverNames }) };
  }
  if (serverNames.length > 0) return names.length > 0 ? undefined : { kind: 'tls', names: serverNames.map(asPattern) };
  return names.length > 0 ? { kind: 'dns', names } : 'none';
}

export function saysSomething(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : !isAbsent(value) && value !== '';
}

/** The length is that of the schema of Cilium's CRD. */
const NAME_CHARACTERS = /^[-a-z0-9_.]{1,255}$/i;
const PATTERN_CHARACTERS = /^[-a-z0-9_.*]{1,255}$/i;

/** `matchName` and `matchPattern` of `toFQDNs` and `rules.dns`. Undefined when one of them is refused. */
export function readNames(value: unknown, { anyDepth }: PortOptions): readonly NamePattern[] | undefined {
  return allRead(objectsOf(value), ({ matchName, matchPattern }): NamePattern | undefined => {
    if (!isAbsent(matchName) && !isAbsent(matchPattern)) return undefined;
    if (isString(matchName)) return NAME_CHARACTERS.test(matchName) ? { name: normalizeName(matchName) } : undefined;
    if (!isString(matchPattern) || !PATTERN_CHARACTERS.test(matchPattern)) return undefined;
    return { pattern: normalizePattern(matchPattern, anyDepth) };
  });
}

function asPattern(name: string): NamePattern {
  return name.includes('*') ? { pattern: normalizePattern(name, true) } : { name: normalizeName(name) };
}
