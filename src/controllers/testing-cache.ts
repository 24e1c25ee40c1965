/** A namespace's caches that hold what a test puts into them. */
import type { Informer } from '../kube/informer.ts';
import type { Change } from '../kube/store.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import type { NamespaceCache } from './namespace-cache.ts';
import {
  CILIUM_NETWORK_POLICIES,
  EGRESS_POLICIES,
  NETWORK_POLICIES,
  PODS,
  POLICY_BUNDLES,
  RUNTIME_PROFILES,
  SECRET_BINDINGS,
  VOLUME_CLAIMS,
} from './resources.ts';

export interface HeldInformer extends Informer {
  /** Puts the object in, or takes it out, as an event would. */
  change(name: string, current: KubeObject | undefined): void;
}

export type Held = { readonly [K in keyof Omit<NamespaceCache, 'namespace'>]?: readonly KubeObject[] };
export type HeldCache = { readonly [K in keyof Omit<NamespaceCache, 'namespace'>]-?: HeldInformer } & {
  readonly namespace: string;
};

export function cacheOf(namespace: string, held: Held): HeldCache {
  const informer = (resource: Resource, objects: readonly KubeObject[] = []) =>
    heldInformer(resource, namespace, objects);
  return {
    namespace,
    profiles: informer(RUNTIME_PROFILES, held.profiles),
    policies: informer(EGRESS_POLICIES, held.policies),
    bindings: informer(SECRET_BINDINGS, held.bindings),
    bundles: informer(POLICY_BUNDLES, held.bundles),
    networkPolicies: informer(NETWORK_POLICIES, held.networkPolicies),
    ciliumPolicies: informer(CILIUM_NETWORK_POLICIES, held.ciliumPolicies),
    pods: informer(PODS, held.pods),
    claims: informer(VOLUME_CLAIMS, held.claims),
  };
}

function heldInformer(resource: Resource, namespace: string, objects: readonly KubeObject[]): HeldInformer {
  const byName = new Map(objects.map((object) => [object.metadata.name, object]));
  const handlers: ((change: Change) => void)[] = [];
  const held: Partial<HeldInformer> = {
    resource,
    namespace,
    observe: (object) => held.change?.(object.metadata.name, object),
    observeDeleted: ({ name }) => held.change?.(name, undefined),
    get: (name) => byName.get(name),
    list: () => [...byName.values()],
    onChange: (handler) => {
      handlers.push(handler);
      return () => undefined;
    },
    change: (name, current) => {
      const previous = byName.get(name);
      if (current === undefined) byName.delete(name);
      else byName.set(name, current);
      const both = { ...(previous === undefined ? {} : { previous }), ...(current === undefined ? {} : { current }) };
      for (const handler of handlers) handler({ name, ...both });
    },
  };
  return held as HeldInformer;
}
