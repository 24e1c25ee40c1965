/** Sets of whole numbers as sorted, disjoint, non-adjacent ranges, both ends included. */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

export type Ranges = readonly Range[];

export function rangesOf(ranges: readonly Range[]): Ranges {
  if (ranges.length <= 1) return ranges;
  const result: Range[] = [];
  for (const range of [...ranges].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = result.at(-1);
    if (last === undefined || range.from > last.to + 1n) result.push(range);
    else if (range.to > last.to) result[result.length - 1] = { from: last.from, to: range.to };
  }
  return result;
}

export function intersectRanges(a: Ranges, b: Ranges): Ranges {
  const result: Range[] = [];
  for (let i = 0, j = 0; ; ) {
    const left = a[i];
    const right = b[j];
    if (left === undefined || right === undefined) return result;
    const leftBeginsFirst = left.from < right.from;
    const leftEndsFirst = left.to < right.to;
    const from = leftBeginsFirst ? right.from : left.from;
    const to = leftEndsFirst ? left.to : right.to;
    if (from <= to) result.push({ from, to });
    if (leftEndsFirst) i += 1;
    else j += 1;
  }
}

export function subtractRanges(a: Ranges, b: Ranges): Ranges {
  const result: Range[] = [];
  for (const range of a) {
    let { from } = range;
    for (const hole of b) {
      if (hole.to < from) continue;
      if (hole.from > range.to) break;
      if (hole.from > from) result.push({ from, to: hole.from - 1n });
      from = hole.to + 1n;
    }
    if (from <= range.to) result.push({ from, to: range.to });
  }
  return result;
}
