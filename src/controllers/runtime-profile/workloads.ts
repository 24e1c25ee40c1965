/** What a profile governs, in numbers. Pure. */
import type { RuntimeProfileStatus } from '../../api/runtime-profile.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Remaining } from './deletion.ts';

export type Workloads = NonNullable<RuntimeProfileStatus['workloads']>;

export interface WorkloadsRequest {
  /** Pods that run as its account and have not ended. */
  readonly pods: readonly KubeObject[];
  /** PersistentVolumeClaims with its label; undefined where they are not followed. */
  readonly claims: readonly KubeObject[] | undefined;
  /** Since when the newest generation is admitted; undefined when it never was. */
  readonly since: string | undefined;
  /** What a deletion waits for; undefined while nothing waits. */
  readonly remaining?: Remaining | undefined;
}

export function workloadsOf({ pods, claims, since, remaining }: WorkloadsRequest): Workloads {
  const isOlder = ({ metadata }: KubeObject): boolean =>
    since === undefined || Date.parse(metadata.creationTimestamp ?? '') < Date.parse(since);
  return {
    pods: pods.length,
    olderGeneration: pods.filter(isOlder).length,
    ...(claims === undefined ? {} : { retainedVolumes: claims.length }),
    ...(remaining === undefined ? {} : { remaining: [...remaining] }),
  };
}
