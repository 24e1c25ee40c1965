const DECIMAL = /^(0|[1-9][0-9]*)$/;

/**
 * Order of two resourceVersions of one resource, or `undefined` when either is not a decimal integer and no order may be assumed.
 * KEP-5504 (kubernetes/enhancements) makes them comparable as integers; they may exceed 2^53, so they are compared as text.
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined || !DECIMAL.test(a) || !DECIMAL.test(b)) {
    return undefined;
  }
  if (a.length !== b.length) {
    return a.length - b.length;
  }
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}
