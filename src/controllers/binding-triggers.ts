/** Which SecretBindings a change concerns. */
import { isNews, isRespecified } from './changes.ts';
import { profileOf } from './exclusive.ts';
import { idOf } from './identity.ts';
import type { NamespaceCache } from './namespace-cache.ts';

export interface BindingTriggers {
  readonly binding: (namespace: string, name: string) => void;
}

export function wireBindings(cache: NamespaceCache, { binding: trigger }: BindingTriggers): void {
  const { namespace, bindings } = cache;
  bindings.onChange((change) => {
    if (!isNews(change)) return;
    trigger(namespace, change.name);
    if (!isRespecified(change)) return;
    // An id, or a place among the bindings of a profile, that becomes free concerns those that wait for it.
    const both = [change.previous, change.current].filter((object) => object !== undefined);
    const ids = new Set(both.map(idOf).filter((id) => id !== undefined));
    const profiles = new Set(both.map(profileOf));
    for (const other of bindings.list()) {
      const waits = ids.has(idOf(other) ?? '') || profiles.has(profileOf(other));
      if (waits && other.metadata.name !== change.name) trigger(namespace, other.metadata.name);
    }
  });
  cache.profiles.onChange((change) => {
    if (!isRespecified(change)) return;
    for (const { metadata } of bindings.list()) trigger(namespace, metadata.name);
  });
}
