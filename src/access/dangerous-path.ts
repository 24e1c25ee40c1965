/** Paths of the API server that are no resources, by which an identity learns more than it was given, as data. */
import type { DangerousRight } from './dangerous-right.ts';
import type { AccessRule } from './objects.ts';

export interface DangerousPath extends Pick<DangerousRight, 'id' | 'severity' | 'verbs' | 'why'> {
  /** With all that is below them. */
  readonly paths: readonly string[];
}

/** Sources: kubernetes/apiserver pkg/server/routes, `Profiling`, `DebugFlags` and `Logs`; methods are verbs here, in lower case. */
export const DANGEROUS_PATHS: readonly DangerousPath[] = [
  {
    id: 'ServerInspected',
    severity: 'Medium',
    paths: ['/debug', '/logs'],
    verbs: ['get', 'post', 'put'],
    why: 'profiles and logs of the API server tell what everybody asks of it; how much it logs can be raised there until Secrets are in it',
  },
];

/** The granted paths that reach one of the dangerous ones. A `*` at the end stands for all that begins so. */
export function dangerousPathsOf(rule: AccessRule, { paths, verbs }: DangerousPath): readonly string[] {
  if (!rule.verbs.some((verb) => verb === '*' || verbs.includes(verb))) return [];
  return rule.nonResourceURLs.filter((granted) => paths.some((path) => reaches(granted, path)));
}

function reaches(granted: string, path: string): boolean {
  const stem = granted.endsWith('*') ? granted.slice(0, -1) : undefined;
  const isBelow = (text: string) => text === path || text.startsWith(`${path}/`);
  return stem === undefined ? isBelow(granted) : isBelow(stem) || path.startsWith(stem);
}
