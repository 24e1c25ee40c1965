/** Which PolicyBundles a change concerns. */
import type { Change } from '../kube/store.ts';
import type { KubeObject } from '../kube/types.ts';
import { wireDependents } from './dependents.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { bundlesOf } from './pod-mounts.ts';
import { readStatus } from './policy-bundle/load.ts';

export interface BundleTriggers {
  readonly bundle: (namespace: string, name: string) => void;
  /** For changes that come in swarms, such as pods: looked at once, a moment later. */
  readonly bundleLater: (namespace: string, name: string) => void;
}

export function wireBundles(cache: NamespaceCache, { bundle, bundleLater }: BundleTriggers): void {
  const { namespace, bundles } = cache;
  wireDependents(cache, bundles, bundle);
  cache.pods.onChange((change) => {
    const used = usedBy(change);
    if (used.size === 0) return;
    for (const other of bundles.list()) if (waitsFor(other, used)) bundleLater(namespace, other.metadata.name);
  });
}

function usedBy({ previous, current }: Change): ReadonlySet<string> {
  return new Set([previous, current].flatMap((pod) => (pod === undefined ? [] : bundlesOf(pod))));
}

/** Whether an older output of it goes once no pod uses it. */
function waitsFor({ status }: KubeObject, used: ReadonlySet<string>): boolean {
  return (readStatus(status).superseded ?? []).some(({ configMap }) => used.has(configMap));
}
