/** What became of rendered objects: what is stored, without what only a server can know. */
import type { JsonMap } from '../../../constructs/expr/json.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { byIdentity, identityOf, metadataOf } from '../../chart/support/objects.ts';
import type { Kubectl } from '../../support/kubectl.ts';

/** Fields that the API server sets on every object. */
const SERVER_METADATA = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields'];

/** Helm's mark of ownership, which no rendering has: pkg/action/validate.go of helm/helm. */
const HELM_ANNOTATIONS = ['meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'];

/** The families that a cluster gives to a Service are the cluster's own: a chart that wrote them would not install on others. */
const SERVICE_FIELDS = ['ipFamilies'];

/** The stored objects, in the order of the rendered ones. @throws Error naming those that do not exist. */
export async function liveObjects(kubectl: Kubectl, rendered: readonly JsonMap[]): Promise<readonly KubeObject[]> {
  const namespaces = Map.groupBy(rendered, (object) => metadataOf(object).namespace);
  const lists = await Promise.all(
    [...namespaces].map(([namespace, objects]) => {
      const kinds = [...new Set(objects.map(kindArgument))].join(',');
      const where = namespace === undefined ? [] : ['-n', namespace];
      return kubectl.get<{ readonly items: readonly KubeObject[] }>(kinds, ...where);
    }),
  );
  const live = new Map(lists.flatMap((list) => list?.items ?? []).map((object) => [identityOf(json(object)), object]));
  const missing = rendered.map(identityOf).filter((object) => !live.has(object));
  if (missing.length > 0) throw new Error(`does not exist: ${missing.join(', ')}`);
  return rendered.flatMap((object) => live.get(identityOf(object)) ?? []);
}

/** What the API server would store if a GitOps tool applied the objects: its answer to a dry run. */
export async function dryApply(kubectl: Kubectl, objects: readonly JsonMap[]): Promise<readonly KubeObject[]> {
  const text = await kubectl.apply(objects, '--dry-run=server', '--field-manager=gitops', '-o', 'json');
  const answer = JSON.parse(text) as KubeObject & { readonly items?: readonly KubeObject[] };
  return answer.items ?? [answer];
}

/** By identity, without anything that a server or Helm adds: equal to what is rendered, or a GitOps tool sees a difference. */
export function comparable(objects: readonly (JsonMap | KubeObject)[]): Readonly<Record<string, JsonMap>> {
  return byIdentity(objects.map((object) => withoutServerFields(json(object))));
}

export function resourceVersions(objects: readonly KubeObject[]): Readonly<Record<string, string | undefined>> {
  const named = objects.map((object) => [identityOf(json(object)), object.metadata.resourceVersion] as const);
  return Object.fromEntries(named);
}

function json(object: JsonMap | KubeObject): JsonMap {
  return object as JsonMap;
}

function withoutServerFields(object: JsonMap): JsonMap {
  const { status: _, ...rest } = object;
  const metadata = without(object.metadata as JsonMap, SERVER_METADATA);
  const annotations = without((metadata.annotations ?? {}) as JsonMap, HELM_ANNOTATIONS);
  const own = without(metadata, ['annotations']);
  const kept = Object.keys(annotations).length === 0 ? own : { ...own, annotations };
  const spec = object.kind === 'Service' ? { spec: without(object.spec as JsonMap, SERVICE_FIELDS) } : {};
  return { ...rest, ...spec, metadata: kept };
}

function without(map: JsonMap, fields: readonly string[]): JsonMap {
  return Object.fromEntries(Object.entries(map).filter(([field]) => !fields.includes(field)));
}

/** `NetworkPolicy.v1.networking.k8s.io`: kubectl then asks for the very version that was rendered. */
function kindArgument(object: JsonMap): string {
  const [group, version] = String(object.apiVersion).split('/');
  return version === undefined ? String(object.kind) : `${String(object.kind)}.${version}.${group}`;
}
