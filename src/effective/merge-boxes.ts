import type { Box } from './box.ts';
import type { Condition } from './condition.ts';
import type { PortSet } from './port-set.ts';
import { type Ranges, rangesOf } from './ranges.ts';

/** Fewer boxes with the same flows: those that differ in ports only become one, then those that differ in addresses only. */
export function mergeBoxes(boxes: readonly Box[]): readonly Box[] {
  if (boxes.length <= 1) return boxes;
  const byPorts = groups(boxes, (box) => [addressesKey(box.addresses), ...commonKey(box)]);
  const united = byPorts.map(([box, ...others]) => ({ ...box, ports: unitePorts([box, ...others]) }));
  const byAddresses = groups(united, (box) => [portsKey(box.ports), ...commonKey(box)]);
  return byAddresses.map(([box, ...others]) => ({
    ...box,
    addresses: rangesOf([box, ...others].flatMap(({ addresses }) => addresses)),
  }));
}

export function unitePorts(boxes: readonly Box[]): PortSet {
  return {
    ranges: rangesOf(boxes.flatMap(({ ports }) => ports.ranges)),
    names: new Set(boxes.flatMap(({ ports }) => [...ports.names])),
  };
}

function groups(boxes: readonly Box[], keyOf: (box: Box) => readonly string[]): readonly [Box, ...Box[]][] {
  const found = new Map<string, [Box, ...Box[]]>();
  for (const box of boxes) {
    const key = JSON.stringify(keyOf(box));
    const group = found.get(key);
    if (group === undefined) found.set(key, [box]);
    else group.push(box);
  }
  return [...found.values()];
}

function commonKey({ labels, names, layer7 }: Box): readonly string[] {
  const values = [...labels].map(([key, { absent, negated, values: listed }]) => [
    key,
    absent,
    negated,
    [...listed].sort(),
  ]);
  return [JSON.stringify(values), conditionKey(names), conditionKey(layer7)];
}

function conditionKey(condition: Condition): string {
  return condition.kind === 'any' ? '' : JSON.stringify([condition.kind, ...condition.patterns]);
}

function addressesKey(addresses: Ranges): string {
  return addresses.map(({ from, to }) => `${from}-${to}`).join();
}

function portsKey({ ranges, names }: PortSet): string {
  return `${addressesKey(ranges)} ${[...names].sort().join()}`;
}
