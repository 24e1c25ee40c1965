/** What somebody probably meant who typed something that does not exist. */

/** `: did you mean X?`, or nothing when no candidate is near. */
export function didYouMean(typed: string, candidates: readonly string[]): string {
  const near = nearest(typed, candidates);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

/** The candidate with the fewest changed characters, when these are at most a third of what was typed, or one. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  // The distance is quadratic in the length, and what is typed may be anything.
  if (typed.length > MAX_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const ranked = candidates
    .map((candidate) => ({ candidate, far: distance(typed, candidate) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best !== undefined && best.far <= limit ? best.candidate : undefined;
}

const MAX_LENGTH = 64;

/** Levenshtein distance, in UTF-16 code units. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
