/** From sets of flows back to grants. */
import { blocksOf, readBlocks } from './addresses.ts';
import { type Box, boxOf, OF_NAMESPACE, OF_POD, subtractBoxes } from './box.ts';
import { type Condition, patternOf } from './condition.ts';
import { mergeBoxes, unitePorts } from './merge-boxes.ts';
import { portsOf } from './port-set.ts';
import { type Ranges, subtractRanges } from './ranges.ts';
import type { Grant, NamePattern, Peer, Requirement } from './types.ts';
import { requirementsOf } from './value-set.ts';
import type { Work } from './work.ts';

/** Boxes that are parts of the grant, as grants of the same policy: as the grant itself where they are all of it. */
export function grantsOf(grant: Grant, boxes: readonly Box[], work: Work): readonly Grant[] {
  if (boxes.length === 0) return [];
  if (subtractBoxes(boxOf(grant), boxes, work).length === 0) return [grant];
  if (!isDivisible(grant.peer)) return [{ ...grant, ports: portsOf(unitePorts(boxes)) }];
  return mergeBoxes(boxes).flatMap((box) => {
    const layer7 = grant.layer7 && { layer7: layer7Of(grant.layer7, box.layer7) };
    return peersOf(grant.peer, box, work).map((peer) => ({ ...grant, ...layer7, peer, ports: portsOf(box.ports) }));
  });
}

/** Whether a part of the peer is a peer: what is everything but something is not. */
function isDivisible({ kind }: Peer): boolean {
  return kind === 'cidr' || kind === 'pods' || kind === 'names';
}

function layer7Of(layer7: NonNullable<Grant['layer7']>, condition: Condition): NonNullable<Grant['layer7']> {
  return layer7.kind === 'other' ? layer7 : { ...layer7, names: namesOf(condition) };
}

function namesOf(condition: Condition): readonly NamePattern[] {
  return condition.kind === 'any' ? [] : condition.patterns.map(patternOf);
}

function peersOf(peer: Peer, box: Box, work: Work): readonly Peer[] {
  switch (peer.kind) {
    case 'cidr':
      return cidrsOf(peer.cidr, box.addresses, work).map((part) => ({ ...peer, ...part }));
    case 'names':
      return [{ ...peer, names: namesOf(box.names) }];
    case 'pods':
      return selectorsOf(box)?.map((selector) => ({ kind: 'pods', ...selector })) ?? [peer];
    default:
      return [peer];
  }
}

/** Addresses of a block in the shorter way of the two: as blocks, or as that block with exceptions. */
function cidrsOf(
  cidr: string,
  addresses: Ranges,
  work: Work,
): readonly { readonly cidr: string; readonly except: readonly string[] }[] {
  const blocks = blocksOf(addresses, work);
  const except = blocksOf(subtractRanges(readBlocks(cidr, []) ?? [], addresses), work);
  const withExceptions = except.length < blocks.length;
  return withExceptions ? [{ cidr, except }] : blocks.map((block) => ({ cidr: block, except: [] }));
}

interface Selector {
  readonly namespaces: readonly Requirement[];
  readonly pods: readonly Requirement[];
}

/** They multiply: "absent, or this value" of each of 20 labels is a million selectors. */
const MAX_SELECTORS = 64;

/** A set of values that no conjunction of requirements can say becomes several selectors. Undefined when these are too many. */
function selectorsOf(box: Box): readonly Selector[] | undefined {
  let selectors: readonly Selector[] = [{ namespaces: [], pods: [] }];
  for (const [key, values] of box.labels) {
    const part = PARTS.find(({ prefix }) => key.startsWith(prefix));
    if (part === undefined) continue;
    const alternatives = requirementsOf(key.slice(part.prefix.length), values);
    if (selectors.length * alternatives.length > MAX_SELECTORS) return undefined;
    selectors = selectors.flatMap((selector) =>
      alternatives.map((more) => ({ ...selector, [part.name]: [...selector[part.name], ...more] })),
    );
  }
  return selectors;
}

const PARTS = [
  { prefix: OF_NAMESPACE, name: 'namespaces' },
  { prefix: OF_POD, name: 'pods' },
] as const;
