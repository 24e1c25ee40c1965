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

/** Whether a look at their ends tells that they have nothing in common. */
export function areSpansApart(a: Ranges, b: Ranges): boolean {
  const [firstA, lastA, firstB, lastB] = [a[0], a.at(-1), b[0], b.at(-1)];
  if (firstA === undefined || lastA === undefined || firstB === undefined || lastB === undefined) return true;
  return lastA.to < firstB.from || lastB.to < firstA.from;
}

export function subtractRanges(a: Ranges, b: Ranges): Ranges {
  const result: Range[] = [];
  let next = 0;
  for (const range of a) {
    let { from } = range;
    for (let hole = b[next]; hole !== undefined && hole.from <= range.to; hole = b[next]) {
      if (hole.from > from) result.push({ from, to: hole.from - 1n });
      if (hole.to >= from) from = hole.to + 1n;
      // A hole that goes on may also be one of the next range.
      if (hole.to > range.to) break;
      next += 1;
    }
    if (from <= range.to) result.push({ from, to: range.to });
  }
  return result;
}
