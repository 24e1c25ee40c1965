/** What an entry of the catalogue says. */

/**
 * `High`: more rights than were given, or other people's secrets. `Medium`: a way around what others rely on, which many a
 * controller needs nevertheless. `Info`: expected, and to be known. The worst first.
 */
export const SEVERITIES = ['High', 'Medium', 'Info'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Verbs that change an object, or make one. */
export const WRITES = ['create', 'update', 'patch'];
export const REMOVALS = ['delete', 'deletecollection'];

export interface DangerousRight {
  /** Stable, machine-readable. */
  readonly id: string;
  readonly severity: Severity;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Whether the right is harmless when it is limited to listed names. */
  readonly fineWhenNamed?: true;
  /** Dangerous there alone: in a namespace, or where it is granted for the whole cluster. Absent: everywhere. */
  readonly where?: 'kube-system' | 'cluster';
  /** `High` where it is granted in every namespace, or in that of the cluster itself: its pods may do more than any other. */
  readonly worseInSystem?: true;
  readonly why: string;
}
