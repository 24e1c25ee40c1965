/** Versions of providers, as far as they are compared. */

/** The `major.minor.patch` in an image tag such as `v1.20.2` or `1.20.2-rc.1`; undefined when there is none. */
export function parseVersion(tag: string): string | undefined {
  return /^v?([0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5})([-+].*)?$/.exec(tag)?.[1];
}

/** Negative when `a` is older. Both are `major.minor.patch`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (const [i, part] of left.entries()) {
    const difference = part - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
