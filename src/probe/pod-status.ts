/** What the status of a pod says about its run. Pure; a status is taken as it comes. */
import { boundedText } from '../kube/text.ts';
import type { KubeObject } from '../kube/types.ts';
import type { CanaryRun } from './judge-check.ts';
import { decodeObservation } from './observation.ts';

interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly podIPs?: readonly { readonly ip?: string }[];
  readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly message?: string }[];
  readonly containerStatuses?: readonly {
    readonly state?: {
      readonly waiting?: { readonly reason?: string };
      readonly terminated?: { readonly message?: string; readonly reason?: string; readonly exitCode?: number };
    };
  }[];
}

function statusOf({ status }: KubeObject): PodStatus {
  return (status ?? {}) as PodStatus;
}

export function hasEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(statusOf(pod).phase ?? '');
}

export function isReady(pod: KubeObject): boolean {
  return statusOf(pod).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** One of each family that the pod has. */
export function addressesOf(pod: KubeObject): readonly string[] {
  return (statusOf(pod).podIPs ?? []).flatMap(({ ip }) => ip ?? []);
}

/** `attempts` is what it was given. */
export function canaryRun(pod: KubeObject, attempts: readonly string[]): CanaryRun {
  const { nodeName: node } = (pod.spec ?? {}) as { readonly nodeName?: string };
  const message = statusOf(pod).containerStatuses?.[0]?.state?.terminated?.message ?? '';
  const observation = decodeObservation(message, attempts.length);
  return {
    attempts,
    ...(node === undefined ? {} : { node }),
    ...(observation === undefined ? { problem: problemOf(pod) } : { observation }),
  };
}

/** Why it has not come to its end, or not to a good one. */
export function problemOf(pod: KubeObject): string {
  const { phase = 'unknown', reason, message, conditions, containerStatuses } = statusOf(pod);
  const { waiting, terminated } = containerStatuses?.[0]?.state ?? {};
  const unscheduled = conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message;
  const ended = terminated && `ended with ${terminated.exitCode} (${terminated.reason}): ${terminated.message ?? ''}`;
  const why = unscheduled ?? waiting?.reason ?? ended ?? message ?? reason ?? phase;
  return boundedText(`pod ${pod.metadata.name}: ${why}`, 256);
}
