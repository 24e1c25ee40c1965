/** Grants as sets of flows: products of independent sets, one per property of a flow, so that differences can be computed exactly. */
import { ALL_ADDRESSES, readBlocks } from './addresses.ts';
import {
  ANY_CONDITION,
  type Condition,
  conditionSteps,
  intersectCondition,
  isImpossible,
  layer7Condition,
  namesCondition,
  subtractCondition,
} from './condition.ts';
import { canonicalJson } from './json.ts';
import { ALL_PORTS, hasNoPort, intersectPorts, type PortSet, portSetOf, subtractPorts } from './port-set.ts';
import { areSpansApart, intersectRanges, type Ranges, subtractRanges } from './ranges.ts';
import type { Grant, Peer, Requirement } from './types.ts';
import {
  ANY_VALUE,
  hasNoValue,
  intersectValues,
  oneOf,
  subtractValues,
  type ValueSet,
  valuesOfAll,
} from './value-set.ts';
import { spend, type Work } from './work.ts';

export interface Box {
  /** What kind of destination it is, and the labels of pods and their namespaces; what is not listed may be anything. */
  readonly labels: ReadonlyMap<string, ValueSet>;
  readonly addresses: Ranges;
  /** The names of which the address was an answer. */
  readonly names: Condition;
  readonly ports: PortSet;
  readonly layer7: Condition;
}

const KIND = 'kind';
export const OF_NAMESPACE = 'namespace ';
export const OF_POD = 'pod ';

export function boxOf({ peer, ports, layer7, source }: Grant): Box {
  return {
    labels: new Map(),
    addresses: ALL_ADDRESSES,
    names: ANY_CONDITION,
    ports: ports === 'all' ? ALL_PORTS : portSetOf(ports),
    layer7: layer7Condition(layer7),
    ...destinationOf(peer, source),
  };
}

function destinationOf(peer: Peer, source: Grant['source']): Partial<Box> {
  switch (peer.kind) {
    case 'everything':
      return {};
    case 'cidr': {
      const addresses = readBlocks(peer.cidr, peer.except) ?? [];
      return peer.inCluster ? { addresses } : { labels: isKind('external'), addresses };
    }
    case 'names':
      return { labels: isKind('external'), names: namesCondition(peer.names) };
    case 'pods':
      return { labels: podLabels(peer.namespaces, peer.pods) };
    case 'entity':
      return { labels: isKind(peer.entity) };
    case 'unknown':
      // Equal text of the same policy opens the same; of two policies that is not known.
      return { labels: isKind(canonicalJson([source, peer])) };
  }
}

function isKind(kind: string): ReadonlyMap<string, ValueSet> {
  return new Map([[KIND, oneOf(kind)]]);
}

function podLabels(namespaces: readonly Requirement[], pods: readonly Requirement[]): ReadonlyMap<string, ValueSet> {
  const labels = new Map(isKind('pod'));
  const add = (prefix: string, requirements: readonly Requirement[]) => {
    for (const [key, about] of Map.groupBy(requirements, (one) => one.key)) {
      labels.set(`${prefix}${key}`, valuesOfAll(about));
    }
  };
  add(OF_NAMESPACE, namespaces);
  add(OF_POD, pods);
  return labels;
}

export function isEmptyBox(box: Box): boolean {
  return (
    box.addresses.length === 0 ||
    isImpossible(box.names) ||
    isImpossible(box.layer7) ||
    hasNoPort(box.ports) ||
    [...box.labels.values()].some(hasNoValue)
  );
}

/** The flows in both; undefined when there are none. */
export function commonBox(a: Box, b: Box, work: Work): Box | undefined {
  if (areApart(a, b, work)) return undefined;
  spend(work, stepsOf(a, b));
  const common = intersectBoxes(a, b);
  return isEmptyBox(common) ? undefined : common;
}

function intersectBoxes(a: Box, b: Box): Box {
  const labels = new Map(a.labels);
  for (const [key, values] of b.labels) labels.set(key, intersectValues(a.labels.get(key) ?? ANY_VALUE, values));
  return {
    labels,
    addresses: intersectRanges(a.addresses, b.addresses),
    names: intersectCondition(a.names, b.names),
    ports: intersectPorts(a.ports, b.ports),
    layer7: intersectCondition(a.layer7, b.layer7),
  };
}

/** A cheap look at what most often tells two boxes apart. */
function areApart(a: Box, b: Box, work: Work): boolean {
  spend(work, 1 + b.labels.size);
  if (areSpansApart(a.addresses, b.addresses)) return true;
  for (const [key, values] of b.labels) {
    const own = a.labels.get(key);
    if (own === undefined) continue;
    spend(work, own.values.size + values.values.size);
    if (hasNoValue(intersectValues(own, values))) return true;
  }
  spend(work, portSteps(a) + portSteps(b));
  return hasNoPort(intersectPorts(a.ports, b.ports));
}

function portSteps({ ports }: Box): number {
  return ports.ranges.length + ports.names.size;
}

/** Steps of looking at all that two boxes say. */
function stepsOf(a: Box, b: Box): number {
  const values = [...a.labels.values(), ...b.labels.values()].reduce((sum, one) => sum + 1 + one.values.size, 0);
  const ranges = a.addresses.length + b.addresses.length + portSteps(a) + portSteps(b);
  // Each label of the second one takes a copy of those of the first.
  const copies = b.labels.size * (a.labels.size + b.labels.size);
  return (
    STEPS_PER_PAIR + values + ranges + copies + conditionSteps(a.names, b.names) + conditionSteps(a.layer7, b.layer7)
  );
}

/** What it takes to make new boxes, however little is in them. */
const STEPS_PER_PAIR = 16;

/** What is left of `a`: boxes that together are `a` without `b`, and never less. */
export function subtractBox(a: Box, b: Box, work: Work): readonly Box[] {
  if (areApart(a, b, work)) return [a];
  spend(work, stepsOf(a, b));
  const common = intersectBoxes(a, b);
  if (isEmptyBox(common)) return [a];
  const pieces: Box[] = [];
  // Each piece lies outside `b` by one property, and within it by those before.
  let rest = a;
  for (const [key, values] of b.labels) {
    const own = rest.labels.get(key) ?? ANY_VALUE;
    const outside = subtractValues(own, values);
    if (hasNoValue(outside)) continue;
    pieces.push({ ...rest, labels: new Map(rest.labels).set(key, outside) });
    rest = { ...rest, labels: new Map(rest.labels).set(key, intersectValues(own, values)) };
  }
  const addresses = subtractRanges(a.addresses, b.addresses);
  if (addresses.length > 0) pieces.push({ ...rest, addresses });
  const names = subtractCondition(a.names, b.names);
  if (!isImpossible(names)) pieces.push({ ...rest, addresses: common.addresses, names });
  rest = { ...rest, addresses: common.addresses, names: common.names };
  const ports = subtractPorts(a.ports, b.ports);
  if (!hasNoPort(ports)) pieces.push({ ...rest, ports });
  const layer7 = subtractCondition(a.layer7, b.layer7);
  if (!isImpossible(layer7)) pieces.push({ ...rest, ports: common.ports, layer7 });
  return pieces;
}

/** Beyond this many boxes for one grant the difference is not followed further. */
const MAX_PIECES = 512;

/** What is left of `a` without all of the others; `a` itself, which is never less, where that would take too many boxes. */
export function subtractBoxes(a: Box, others: readonly Box[], work: Work): readonly Box[] {
  let pieces: readonly Box[] = [a];
  for (const other of others) {
    pieces = pieces.flatMap((piece) => subtractBox(piece, other, work));
    if (pieces.length > MAX_PIECES) return [a];
  }
  return pieces;
}
