/**
 * Whether a profile that is being deleted may go: governance must outlive the workloads that it governs. Pure; the clock is passed in.
 * It is never let go because of the time: past its timeout it asks for help. docs/operations/finalizers.md.
 */
import { WORKLOADS_FINALIZER } from '../../api/meta.ts';
import { MAX_REMAINING, type RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import { compareText } from '../../compile/canonical.ts';
import { isRecord, type KubeObject } from '../../kube/types.ts';

export type Remaining = NonNullable<NonNullable<RuntimeProfileStatus['workloads']>['remaining']>;

export type Deletion =
  | { readonly kind: 'None' }
  /** Being deleted, and not held by us. */
  | { readonly kind: 'Unheld' }
  /** Held while something remains. Nothing remains as far as is known: then it may go. */
  | { readonly kind: 'Held'; readonly remaining: Remaining; readonly overdueInMs: number }
  /** Held by a finalizer that this operator may not release. */
  | { readonly kind: 'Stuck'; readonly remaining: Remaining };

export interface DeletionRequest {
  readonly profile: KubeObject;
  /** That run as its account and have not ended. */
  readonly pods: readonly KubeObject[];
  /** With its label; undefined where they are not followed. */
  readonly claims: readonly KubeObject[] | undefined;
  /** Whether this operator puts the finalizer on, and releases it. */
  readonly holdsProfiles: boolean;
  readonly now: Date;
}

/** The schema's default, for a spec that cannot be read. */
const DEFAULT_TIMEOUT_SECONDS = 600;

export function deletionOf({ profile, pods, claims, holdsProfiles, now }: DeletionRequest): Deletion {
  const { deletionTimestamp } = profile.metadata;
  if (deletionTimestamp === undefined) return { kind: 'None' };
  if (!isHeld(profile)) return { kind: 'Unheld' };
  const remaining = remainingOf(pods, claims ?? []);
  if (!holdsProfiles) return { kind: 'Stuck', remaining };
  const overdueMs = Date.parse(deletionTimestamp) + timeoutSecondsOf(profile) * 1000;
  return { kind: 'Held', remaining, overdueInMs: overdueMs - now.getTime() };
}

export function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(WORKLOADS_FINALIZER) === true;
}

/** The first of them: a list has an end. */
export function remainingOf(pods: readonly KubeObject[], claims: readonly KubeObject[]): Remaining {
  const named = (kind: Remaining[number]['kind'], objects: readonly KubeObject[]) =>
    objects.map(({ metadata }) => ({ kind, name: metadata.name })).sort((a, b) => compareText(a.name, b.name));
  return [...named('Pod', pods), ...named('PersistentVolumeClaim', claims)].slice(0, MAX_REMAINING);
}

export function timeoutSecondsOf({ spec }: KubeObject): number {
  const deletion = isRecord(spec) ? spec.deletion : undefined;
  const seconds = isRecord(deletion) ? deletion.timeoutSeconds : undefined;
  return typeof seconds === 'number' ? seconds : DEFAULT_TIMEOUT_SECONDS;
}
