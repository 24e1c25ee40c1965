/** What is written for a profile, such as its bindings: which of them a change of their kind, or of a profile, concerns. */
import type { Informer } from '../kube/informer.ts';
import { isNews, isRespecified } from './changes.ts';
import { profileOf } from './exclusive.ts';
import { idOf } from './identity.ts';
import type { NamespaceCache } from './namespace-cache.ts';

/** An id, or a place among the dependents of a profile, that becomes free concerns those that wait for it. */
export function wireDependents(
  { namespace, profiles }: Pick<NamespaceCache, 'namespace' | 'profiles'>,
  dependents: Informer,
  trigger: (namespace: string, name: string) => void,
): void {
  dependents.onChange((change) => {
    if (!isNews(change)) return;
    trigger(namespace, change.name);
    if (!isRespecified(change)) return;
    const both = [change.previous, change.current].filter((object) => object !== undefined);
    const ids = new Set(both.map(idOf).filter((id) => id !== undefined));
    const ofProfiles = new Set(both.map(profileOf));
    for (const other of dependents.list()) {
      const waits = ids.has(idOf(other) ?? '') || ofProfiles.has(profileOf(other));
      if (waits && other.metadata.name !== change.name) trigger(namespace, other.metadata.name);
    }
  });
  profiles.onChange((change) => {
    if (!isRespecified(change)) return;
    for (const { metadata } of dependents.list()) trigger(namespace, metadata.name);
  });
}
