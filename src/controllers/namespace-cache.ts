/** What the operator knows of one governed namespace: a cache per kind, each fed by one list and one watch. */
import type { Informer } from '../kube/informer.ts';
import type { KubeObject, Resource } from '../kube/types.ts';
import { pauseManagers } from './egress-policy/pause.ts';
import { podSketch } from './governed-pods.ts';
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

export interface NamespaceCache {
  readonly namespace: string;
  readonly profiles: Informer;
  readonly policies: Informer;
  readonly bindings: Informer;
  readonly bundles: Informer;
  readonly networkPolicies: Informer;
  /** Absent where CiliumNetworkPolicy is not enabled. */
  readonly ciliumPolicies?: Informer;
  readonly pods: Informer;
  /** Absent where no admission policies hold: then profiles do not wait for volumes. */
  readonly claims?: Informer;
}

/** What is followed only where it is enabled. */
export interface Followed {
  readonly cilium: boolean;
  readonly admission: boolean;
}

export type InformerFactory = (
  resource: Resource,
  namespace: string,
  transform?: (object: KubeObject) => KubeObject,
) => Informer;

export function createNamespaceCache(
  namespace: string,
  { cilium, admission }: Followed,
  informer: InformerFactory,
): NamespaceCache {
  return {
    namespace,
    profiles: informer(RUNTIME_PROFILES, namespace, withoutManagedFields),
    policies: informer(EGRESS_POLICIES, namespace, (policy) => ({ ...policy, metadata: pauseManagers(policy) })),
    bindings: informer(SECRET_BINDINGS, namespace, withoutManagedFields),
    bundles: informer(POLICY_BUNDLES, namespace, withoutManagedFields),
    // The managed fields of policies stay: drift is told by them.
    networkPolicies: informer(NETWORK_POLICIES, namespace),
    ...(cilium ? { ciliumPolicies: informer(CILIUM_NETWORK_POLICIES, namespace) } : {}),
    pods: informer(PODS, namespace, podSketch),
    ...(admission ? { claims: informer(VOLUME_CLAIMS, namespace, claimSketch) } : {}),
  };
}

export function informersOf(cache: NamespaceCache): readonly Informer[] {
  const { bindings, bundles, claims } = cache;
  return [...policyInformers(cache), bindings, bundles, ...(claims === undefined ? [] : [claims])];
}

/** What network policies and the pods under them depend on. */
export function policyInformers(cache: NamespaceCache): readonly Informer[] {
  return [cache.profiles, cache.policies, ...outputInformers(cache), cache.pods];
}

/** The informers of the kinds that policies are compiled to. */
export function outputInformers(cache: NamespaceCache): readonly Informer[] {
  return cache.ciliumPolicies === undefined ? [cache.networkPolicies] : [cache.networkPolicies, cache.ciliumPolicies];
}

export function outputInformer(cache: NamespaceCache, kind: string): Informer | undefined {
  return outputInformers(cache).find((informer) => informer.resource.kind === kind);
}

/** What is looked at of a PersistentVolumeClaim. */
export function claimSketch({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(labels === undefined ? {} : { labels }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
