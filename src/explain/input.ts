/** Sorts manifests into what AgentPlane judges and what is not its business, and refuses what is mistaken for its own. Pure. */
import { EgressPolicy } from '../api/egress-policy.ts';
import { KINDS } from '../api/kinds.ts';
import { API_VERSION, GROUP } from '../api/meta.ts';
import { RuntimeProfile } from '../api/runtime-profile.ts';
import type { KubeObject } from '../kube/types.ts';
import type { InputProblem, Manifest } from '../manifests/manifest.ts';
import { didYouMean } from '../text/nearest.ts';

export interface Sorted {
  readonly profiles: readonly Manifest[];
  readonly policies: readonly Manifest[];
  /** Objects that are not judged, counted by kind. */
  readonly skipped: ReadonlyMap<string, number>;
  readonly problems: readonly InputProblem[];
}

export function sortManifests(manifests: readonly Manifest[], defaultNamespace: string): Sorted {
  const profiles: Manifest[] = [];
  const policies: Manifest[] = [];
  const skipped = new Map<string, number>();
  const problems: InputProblem[] = [];
  for (const [index, manifest] of manifests.entries()) {
    const { apiVersion, kind } = manifest.object;
    const problem = unknownKind(manifest);
    const complete = { ...manifest, object: asStored(manifest.object, defaultNamespace, index) };
    if (problem !== undefined) problems.push(problem);
    else if (apiVersion === API_VERSION && kind === RuntimeProfile.kind) profiles.push(complete);
    else if (apiVersion === API_VERSION && kind === EgressPolicy.kind) policies.push(complete);
    else skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
  }
  return { profiles, policies, skipped, problems };
}

/** A kind or version of our own group that does not exist would otherwise be skipped, and look like success. */
function unknownKind({ object, source }: Manifest): InputProblem | undefined {
  const { apiVersion, kind } = object;
  if (apiVersion !== GROUP && !apiVersion.startsWith(`${GROUP}/`)) return undefined;
  const kinds = KINDS.map((known) => known.kind);
  const at = { file: source.file, line: source.line() };
  if (apiVersion !== API_VERSION) return { ...at, message: `there is no apiVersion ${apiVersion}: use ${API_VERSION}` };
  if (kinds.includes(kind)) return undefined;
  return { ...at, message: `there is no kind ${kind} in ${API_VERSION}${didYouMean(kind, kinds)}` };
}

/** A UID that no API server gives. It stands for the one that is not known yet, and its order is that of the input. */
const PROVISIONAL_UID = '00000000-0000-0000-0000-';

export function hasProvisionalUid({ metadata }: KubeObject): boolean {
  return metadata.uid?.startsWith(PROVISIONAL_UID) ?? false;
}

/** The object with the metadata that it would have in a cluster; what it says of itself (an export has all of it) stays. */
function asStored(object: KubeObject, namespace: string, index: number): KubeObject {
  const uid = `${PROVISIONAL_UID}${String(index).padStart(12, '0')}`;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      namespace: object.metadata.namespace ?? namespace,
      uid: object.metadata.uid ?? uid,
    },
  };
}
