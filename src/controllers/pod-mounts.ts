/** Which generated ConfigMaps a pod uses, by any of the ways in which a pod can use one. Of other ConfigMaps nothing is kept. */
import { BUNDLE_PREFIX } from '../compile/bundle/compile-bundle.ts';
import { isRecord, type KubeObject } from '../kube/types.ts';

type Json = Readonly<Record<string, unknown>>;

/** More than any pod has use for. A pod may name thousands. */
const MAX_USED = 64;

/** From the whole pod. */
export function bundlesUsedBy({ spec }: KubeObject): readonly string[] {
  if (!isRecord(spec)) return [];
  const volumes = recordsOf(spec.volumes);
  const projections = volumes.flatMap(({ projected }) => (isRecord(projected) ? recordsOf(projected.sources) : []));
  const containers = [spec.initContainers, spec.containers, spec.ephemeralContainers].flatMap(recordsOf);
  const variables = containers.flatMap(({ env }) => recordsOf(env).map(({ valueFrom }) => valueFrom));
  const references = [
    ...[...volumes, ...projections].map(({ configMap }) => configMap),
    ...containers.flatMap(({ envFrom }) => recordsOf(envFrom).map(({ configMapRef }) => configMapRef)),
    ...variables.map((from) => (isRecord(from) ? from.configMapKeyRef : undefined)),
  ];
  const names = references.map((reference) => (isRecord(reference) ? reference.name : undefined));
  const used = names.filter((name): name is string => typeof name === 'string' && name.startsWith(BUNDLE_PREFIX));
  return [...new Set(used)].slice(0, MAX_USED);
}

/** From what is kept of a pod. */
export function bundlesOf({ spec }: KubeObject): readonly string[] {
  return isRecord(spec) && Array.isArray(spec.bundles) ? (spec.bundles as readonly string[]) : [];
}

function recordsOf(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
