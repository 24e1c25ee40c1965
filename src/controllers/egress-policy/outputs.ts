/** The generated objects of one policy as the caches show them, and whether they still are what was put in force. */

import { POLICY_LABEL } from '../../api/meta.ts';
import { outputsDigest } from '../../compile/compile.ts';
import { identityHash } from '../../compile/names.ts';
import type { Client } from '../../kube/client.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { enforcedPart, foreignManagers } from '../drift.ts';
import { GENERATION_ANNOTATION } from '../ensure.ts';
import { type NamespaceCache, outputInformers } from '../namespace-cache.ts';
import { isOurs } from '../ownership.ts';
import type { InForce, Loaded } from './load.ts';

export interface WriteContext {
  readonly client: Client;
  readonly cache: NamespaceCache;
  readonly signal: AbortSignal;
}

export interface OwnOutput {
  readonly live: KubeObject;
  readonly informer: Informer;
}

export function recordedUids({ inForce }: Loaded): readonly string[] {
  return inForce?.outputs.map(({ uid }) => uid) ?? [];
}

export function ownOutputs(loaded: Loaded, cache: NamespaceCache): readonly OwnOutput[] {
  const uids = recordedUids(loaded);
  const hash = identityHash(loaded.owner);
  return outputInformers(cache).flatMap((informer) =>
    informer
      .list()
      // Cheap first: the rest of the namespace's policies are not looked at closely.
      .filter((live) => live.metadata.labels?.[POLICY_LABEL] === hash || uids.includes(live.metadata.uid ?? ''))
      .filter((live) => isOurs(live, loaded.owner, uids))
      .map((live) => ({ live, informer })),
  );
}

/**
 * What is in force although nothing was applied in this reconcile: the outputs that are there, when they are exactly what was
 * put in force and nobody else has touched what they enforce. Undefined when that cannot be said.
 */
export function stillInForce(loaded: Loaded, { cache }: WriteContext): InForce | undefined {
  const outputs = ownOutputs(loaded, cache)
    .map(({ live }) => live)
    .filter((live) => live.metadata.deletionTimestamp === undefined);
  if (outputs.length === 0 || outputs.some((live) => foreignManagers(live).length > 0)) return undefined;
  const { inForce } = loaded;
  if (inForce?.specHash === digestOf(outputs)) return inForce;
  // Applied, but the process ended before the status was written: the object itself says which generation it is of.
  const generations = new Set(outputs.map((live) => Number(live.metadata.annotations?.[GENERATION_ANNOTATION])));
  const [generation] = generations;
  if (generations.size !== 1 || generation === undefined || !Number.isSafeInteger(generation) || generation < 1)
    return undefined;
  return inForceOf(outputs, generation);
}

export function inForceOf(outputs: readonly KubeObject[], generation: number): InForce {
  return {
    generation,
    specHash: digestOf(outputs),
    outputs: outputs.map(({ apiVersion, kind, metadata }) => ({
      apiVersion,
      kind,
      name: metadata.name,
      uid: metadata.uid ?? '',
    })),
  };
}

function digestOf(outputs: readonly KubeObject[]): string {
  return outputsDigest(
    outputs.map((live) => ({ kind: live.kind, metadata: live.metadata, spec: enforcedPart(live).spec })),
  );
}
