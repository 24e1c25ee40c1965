/** Sets of ports of all protocols: numbers on one axis, and names, which each pod gives a number of its own. */
import { intersectRanges, type Range, type Ranges, rangesOf, subtractRanges } from './ranges.ts';
import type { Ports, Protocol } from './types.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP', 'ICMP', 'ICMPv6', 'other'] as const satisfies readonly Protocol[];
const SIZE = 65_536n;

export interface PortSet {
  readonly ranges: Ranges;
  /** As `TCP/http`. */
  readonly names: ReadonlySet<string>;
}

const EVERY_NUMBER: Ranges = [{ from: 0n, to: SIZE * BigInt(PROTOCOLS.length) - 1n }];

export const ALL_PORTS: PortSet = { ranges: EVERY_NUMBER, names: new Set() };

export function portSetOf(ports: readonly Ports[]): PortSet {
  const ranges: Range[] = [];
  const names = new Set<string>();
  for (const port of ports) {
    if ('name' in port) names.add(`${port.protocol}/${port.name}`);
    else ranges.push(rangeOf(port.protocol, port.from, port.to));
  }
  return { ranges: rangesOf(ranges), names };
}

/** A name is only gone with the name itself, or with all numbers that it can stand for. */
export function subtractPorts(a: PortSet, b: PortSet): PortSet {
  const names = withoutProtocols(a.names, protocolsWhere(b.ranges, holdsAll)).filter((name) => !b.names.has(name));
  return { ranges: subtractRanges(a.ranges, b.ranges), names: new Set(names) };
}

/** A name may stand for any number, so it is in common with every set that has one of its protocol. */
export function intersectPorts(a: PortSet, b: PortSet): PortSet {
  const inBoth = (from: PortSet, other: PortSet) => {
    const held = protocolsWhere(other.ranges, holdsSome);
    return [...from.names].filter((name) => other.names.has(name) || held.has(protocolOf(name)));
  };
  return { ranges: intersectRanges(a.ranges, b.ranges), names: new Set([...inBoth(a, b), ...inBoth(b, a)]) };
}

export function hasNoPort({ ranges, names }: PortSet): boolean {
  return ranges.length === 0 && names.size === 0;
}

export function portsOf({ ranges, names }: PortSet): 'all' | readonly Ports[] {
  if (subtractRanges(EVERY_NUMBER, ranges).length === 0) return 'all';
  const numbers = PROTOCOLS.flatMap((protocol) => {
    const { from: start } = rangeOf(protocol, 0, 0);
    const own = intersectRanges(ranges, [rangeOf(protocol, 0, 65_535)]);
    return own.map(({ from, to }) => ({ protocol, from: Number(from - start), to: Number(to - start) }));
  });
  const named = PROTOCOLS.flatMap((protocol) =>
    [...names]
      .filter((name) => name.startsWith(`${protocol}/`))
      .map((name) => ({ protocol, name: name.slice(protocol.length + 1) })),
  );
  return [...numbers, ...named];
}

function rangeOf(protocol: Protocol, from: number, to: number): Range {
  const start = SIZE * BigInt(PROTOCOLS.indexOf(protocol));
  return { from: start + BigInt(from), to: start + BigInt(to) };
}

function protocolOf(name: string): Protocol {
  return PROTOCOLS.find((candidate) => name.startsWith(`${candidate}/`)) ?? 'other';
}

/** Asked once for all names of a protocol: each of them can stand for the same numbers. */
function protocolsWhere(ranges: Ranges, holds: (ranges: Ranges, named: Range) => boolean): ReadonlySet<Protocol> {
  return new Set(PROTOCOLS.filter((protocol) => holds(ranges, rangeOf(protocol, 1, 65_535))));
}

function withoutProtocols(names: ReadonlySet<string>, gone: ReadonlySet<Protocol>): readonly string[] {
  return [...names].filter((name) => !gone.has(protocolOf(name)));
}

function holdsAll(ranges: Ranges, named: Range): boolean {
  return subtractRanges([named], ranges).length === 0;
}

function holdsSome(ranges: Ranges, named: Range): boolean {
  return intersectRanges([named], ranges).length > 0;
}
