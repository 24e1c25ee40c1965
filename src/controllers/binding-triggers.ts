/** Which SecretBindings a change concerns. */
import { wireDependents } from './dependents.ts';
import type { NamespaceCache } from './namespace-cache.ts';

export interface BindingTriggers {
  readonly binding: (namespace: string, name: string) => void;
}

export function wireBindings(cache: NamespaceCache, { binding }: BindingTriggers): void {
  wireDependents(cache, cache.bindings, binding);
}
