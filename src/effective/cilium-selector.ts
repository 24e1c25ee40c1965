/**
 * Selectors of CiliumNetworkPolicies. A key may begin with the source of the label; pods have labels of one source only, so `k8s:`,
 * `any:` and none are the same. See cilium/cilium:pkg/k8s/apis/cilium.io/utils/utils.go and pkg/policy/api/selector.go.
 */
import { CLUSTER_LABEL, identityLabels, NAMESPACE_LABEL, NAMESPACE_LABELS_PREFIX } from './identity.ts';
import { isObject } from './json.ts';
import { NAMESPACE_NAME, namespaceSatisfies, readSelector, satisfies } from './selectors.ts';
import type { Requirement, Subject, World } from './types.ts';

/** The requirements of a selector by what they are about. */
export interface EndpointSelector {
  readonly pods: readonly Requirement[];
  readonly namespaces: readonly Requirement[];
  readonly clusters: readonly Requirement[];
  /** On `reserved:` labels, which say what is no pod. */
  readonly reserved: readonly Requirement[];
}

export function readEndpointSelector(value: unknown): EndpointSelector | undefined {
  const requirements = isObject(value) ? readSelector(value) : undefined;
  if (requirements === undefined) return undefined;
  const parts = Object.groupBy(requirements.map(sort), ({ about }) => about);
  const of = (about: keyof EndpointSelector) => (parts[about] ?? []).map(({ requirement }) => requirement);
  return { pods: of('pods'), namespaces: of('namespaces'), clusters: of('clusters'), reserved: of('reserved') };
}

export function clusterNameOf({ clusterName = 'default' }: World): string {
  return clusterName;
}

/** Whether an `endpointSelector` of the pod's own namespace selects it; undefined when that depends on what is not known. */
export function selectsSubject(value: unknown, subject: Subject, world: World): boolean | undefined {
  const selector = readEndpointSelector(withoutForeignNamespace(value));
  if (selector === undefined) return undefined;
  const { pods, namespaces, clusters, reserved } = selector;
  const here = { [CLUSTER_LABEL]: clusterNameOf(world) };
  const certain = satisfies(pods, identityLabels(subject)) && satisfies(clusters, here) && satisfies(reserved, {});
  return certain && namespaceSatisfies(namespaces, subject.namespace, world.namespaces?.[subject.namespace]);
}

/** Cilium puts the policy's own namespace in the place of one that is spelled with the source. */
function withoutForeignNamespace(value: unknown): unknown {
  if (!isObject(value) || !isObject(value.matchLabels)) return value;
  const { [`k8s:${NAMESPACE_LABEL}`]: _replaced, ...matchLabels } = value.matchLabels;
  return { ...value, matchLabels };
}

interface Sorted {
  readonly about: keyof EndpointSelector;
  readonly requirement: Requirement;
}

function sort(requirement: Requirement): Sorted {
  const as = (about: keyof EndpointSelector, key: string): Sorted => ({ about, requirement: { ...requirement, key } });
  if (requirement.key.startsWith('reserved:')) return as('reserved', requirement.key.slice('reserved:'.length));
  const key = requirement.key.replace(/^(k8s|any):/, '');
  if (key === NAMESPACE_LABEL) return as('namespaces', NAMESPACE_NAME);
  if (key === CLUSTER_LABEL) return as('clusters', key);
  if (key.startsWith(NAMESPACE_LABELS_PREFIX)) return as('namespaces', key.slice(NAMESPACE_LABELS_PREFIX.length));
  return as('pods', key);
}
