/** Which PolicyBundles a change concerns. */
import type { Change } from '../kube/store.ts';
import type { KubeObject } from '../kube/types.ts';
import { isNews, isRespecified } from './changes.ts';
import { profileOf } from './exclusive.ts';
import { idOf } from './identity.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import { bundlesOf } from './pod-mounts.ts';
import { readStatus } from './policy-bundle/load.ts';

export interface BundleTriggers {
  readonly bundle: (namespace: string, name: string) => void;
  /** For changes that come in swarms, such as pods: looked at once, a moment later. */
  readonly bundleLater: (namespace: string, name: string) => void;
}

export function wireBundles(cache: NamespaceCache, { bundle: trigger, bundleLater }: BundleTriggers): void {
  const { namespace, bundles } = cache;
  bundles.onChange((change) => {
    if (!isNews(change)) return;
    trigger(namespace, change.name);
    if (!isRespecified(change)) return;
    // An id, or a place among the bundles of a profile, that becomes free concerns those that wait for it.
    const both = [change.previous, change.current].filter((object) => object !== undefined);
    const ids = new Set(both.map(idOf).filter((id) => id !== undefined));
    const profiles = new Set(both.map(profileOf));
    for (const other of bundles.list()) {
      const waits = ids.has(idOf(other) ?? '') || profiles.has(profileOf(other));
      if (waits && other.metadata.name !== change.name) trigger(namespace, other.metadata.name);
    }
  });
  cache.profiles.onChange((change) => {
    if (!isRespecified(change)) return;
    for (const { metadata } of bundles.list()) trigger(namespace, metadata.name);
  });
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
