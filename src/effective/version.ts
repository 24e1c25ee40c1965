/** Whether a version as `1.20.2` is at least the one given. Text that is no version counts as 0. */
export function isAtLeast(version: string, minimum: readonly [number, number, number]): boolean {
  const parts = version
    .replace(/^v/, '')
    .split(/[.-]/, 3)
    .map((part) => Number.parseInt(part, 10) || 0);
  const differing = minimum.findIndex((part, index) => part !== (parts[index] ?? 0));
  return differing < 0 || (parts[differing] ?? 0) > (minimum[differing] ?? 0);
}
