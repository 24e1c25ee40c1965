/** Paths of the API server that are no resources, by which an identity learns more than it was given, as data. */
import type { DangerousRight } from './dangerous-right.ts';
import type { AccessRule } from './objects.ts';

export interface DangerousPath extends Pick<DangerousRight, 'id' | 'severity' | 'why'> {
  /** With all that is below them. */
  readonly paths: readonly string[];
}

/**
 * With any verb: profiles are taken whatever the method, and of the others each has one that matters.
 * Source: kubernetes/apiserver pkg/server/routes, `Profiling`, `DebugFlags` and `Logs`.
 */
export const DANGEROUS_PATHS: readonly DangerousPath[] = [
  {
    id: 'ServerInspected',
    severity: 'Medium',
    paths: ['/debug', '/logs'],
    why: 'profiles and logs of the API server tell what everybody asks of it; how much it logs can be raised there until Secrets are in it',
  },
];

/** The granted paths that reach one of the dangerous ones. Stars at the end stand for all that begins so. */
export function dangerousPathsOf({ verbs, nonResourceURLs }: AccessRule, { paths }: DangerousPath): readonly string[] {
  if (verbs.length === 0) return [];
  return nonResourceURLs.filter((granted) => paths.some((path) => reaches(granted, path)));
}

function reaches(granted: string, path: string): boolean {
  const stem = granted.replace(/\*+$/, '');
  const isBelow = stem === path || stem.startsWith(`${path}/`);
  return isBelow || (stem !== granted && path.startsWith(stem));
}
