/** Reads the policies of a pod as far as their weight goes: anybody who may write one decides how large it is. */
import type { Json } from './json.ts';
import { type Reading, SAYS_NOTHING, tooComplex } from './reading.ts';
import type { PolicyRef } from './types.ts';
import { weigh } from './weigh.ts';

export interface Reader {
  readonly source: PolicyRef;
  readonly policy: Json;
  readonly read: () => Reading;
}

/** By `weigh`, for all policies of one pod: what they say is at most about this many grants and ports. */
const MAX_WEIGHT = 130_000;
/** Of many policies each is only weighed up to its part of this: weighing takes time as well. */
const MAX_WEIGHING = 3_200_000;

/** Light ones first, so that a heavy one takes nothing from them. What would be too much is not read: it may open anything. */
export function readWithin(readers: readonly Reader[]): readonly Reading[] {
  const limit = Math.min(MAX_WEIGHT, Math.floor(MAX_WEIGHING / readers.length));
  const weighed = readers.map((reader) => ({ reader, weight: weigh(reader.policy, limit) }));
  const light = new Set<Reader>();
  let sum = 0;
  for (const { reader, weight } of weighed.toSorted(byWeight)) {
    sum += weight;
    if (weight > limit || sum > MAX_WEIGHT) break;
    light.add(reader);
  }
  return readers.map((reader) =>
    light.has(reader) ? reader.read() : { ...SAYS_NOTHING, grants: [tooComplex(reader.source)] },
  );
}

interface Weighed {
  readonly reader: Reader;
  readonly weight: number;
}

/** Not by their order, which is that of a cache: the same policies are to give the same answer. */
function byWeight(a: Weighed, b: Weighed): number {
  return a.weight - b.weight || (idOf(a) < idOf(b) ? -1 : 1);
}

function idOf({ reader: { source } }: Weighed): string {
  return `${source.kind}/${source.name}`;
}
