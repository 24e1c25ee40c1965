/** The pods that a profile governs: how many there are, and which kinds of them, as far as policies can tell pods apart. */
import { PROFILE_LABEL } from '../api/meta.ts';
import { canonicalJson, compareText } from '../compile/canonical.ts';
import type { Subject as ProfileSubject } from '../compile/emit.ts';
import type { Labels, Subject } from '../effective/types.ts';
import type { Informer } from '../kube/informer.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';
import { bundlesOf, bundlesUsedBy } from './pod-mounts.ts';

export interface PodView {
  readonly namespace: string;
  readonly pods: Pick<Informer, 'list'>;
}

/** What is looked at of a pod: a few hundred bytes. */
export function podSketch(pod: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, creationTimestamp, deletionTimestamp } = pod.metadata;
  const bundles = bundlesUsedBy(pod);
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: { serviceAccountName: accountOf(pod), ...(bundles.length === 0 ? {} : { bundles }) },
    status: { phase: phaseOf(pod) },
  };
}

/** Pods that run as the account, and have not ended. */
export function governedPods({ pods }: Pick<PodView, 'pods'>, serviceAccountName: string): KubeObject[] {
  return pods.list().filter((pod) => accountOf(pod) === serviceAccountName && !hasEnded(pod));
}

/** The names of pods that carry the label of the profile, run as another account, and have not ended; in order. */
export function foreignPods(profile: string, serviceAccountName: string, pods: readonly KubeObject[]): string[] {
  return pods
    .filter((pod) => pod.metadata.labels?.[PROFILE_LABEL] === profile && accountOf(pod) !== serviceAccountName)
    .filter((pod) => !hasEnded(pod))
    .map(({ metadata }) => metadata.name)
    .sort(compareText);
}

/** The generated ConfigMaps that pods use which have not ended. */
export function mountedBundles({ pods }: Pick<PodView, 'pods'>): ReadonlySet<string> {
  return new Set(
    pods
      .list()
      .filter((pod) => !hasEnded(pod))
      .flatMap(bundlesOf),
  );
}

/**
 * One subject for all pods that no policy tells apart. While there are none, a pod as the profile wants it: with its label. `keys` are
 * the label keys that policies select by.
 */
export function subjectsOf(
  cache: PodView,
  { profile, serviceAccountName }: ProfileSubject,
  keys: ReadonlySet<string>,
): readonly Subject[] {
  const pods = governedPods(cache, serviceAccountName);
  const labelSets: readonly Labels[] =
    pods.length === 0 ? [{ [PROFILE_LABEL]: profile }] : pods.map(({ metadata }) => pick(metadata.labels ?? {}, keys));
  const distinct = new Map(labelSets.map((labels) => [canonicalJson(labels), labels]));
  return [...distinct.values()].map((labels) => ({ namespace: cache.namespace, serviceAccountName, labels }));
}

export function accountOf({ spec }: KubeObject): string | undefined {
  return isRecord(spec) && typeof spec.serviceAccountName === 'string' ? spec.serviceAccountName : undefined;
}

export function phaseOf({ status }: KubeObject): string | undefined {
  return isRecord(status) && typeof status.phase === 'string' ? status.phase : undefined;
}

export function hasEnded(pod: KubeObject): boolean {
  const phase = phaseOf(pod);
  return phase === 'Succeeded' || phase === 'Failed';
}

function pick(labels: Labels, keys: ReadonlySet<string>): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => keys.has(key)));
}
