/** The generated objects of one policy as the caches show them, and whether they still are what was put in force. */
import { MANAGED_BY, MANAGED_BY_LABEL, POLICY_LABEL } from '../../api/meta.ts';
import { outputsDigest } from '../../compile/compile.ts';
import { identityHash, OUTPUT_SHORT_KIND, type Owner } from '../../compile/names.ts';
import type { Client } from '../../kube/client.ts';
import type { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/types.ts';
import { enforcedPart, foreignManagers } from '../drift.ts';
import { GENERATION_ANNOTATION } from '../ensure.ts';
import { type NamespaceCache, outputInformers } from '../namespace-cache.ts';
import { controllerOf, isControlledBy, isOurs } from '../ownership.ts';
import type { InForce } from './read-status.ts';

export interface WriteContext {
  readonly client: Client;
  readonly cache: NamespaceCache;
  readonly signal: AbortSignal;
}

/** Whose outputs are meant: the policy, and what its status recorded. */
export interface Claim {
  readonly owner: Owner;
  readonly recorded: InForce | undefined;
}

export interface OwnOutput {
  readonly live: KubeObject;
  readonly informer: Informer;
}

export function recordedUids({ recorded }: Pick<Claim, 'recorded'>): readonly string[] {
  return recorded?.outputs.map(({ uid }) => uid) ?? [];
}

/** Every object of the policy, under whatever identity it was written: one that got its id late has older ones. */
export function ownOutputs(claim: Claim, cache: NamespaceCache): readonly OwnOutput[] {
  const uids = recordedUids(claim);
  return allOutputs(cache).filter(({ live }) => {
    return (isControlledBy(live, claim.owner) && isManaged(live)) || isOurs(live, claim.owner, uids);
  });
}

/**
 * Outputs that no policy answers for any more: the policy was deleted and left them behind (`--cascade=orphan`). They have all our
 * marks, no controller, and no policy of their identity exists. What still has a controller is the garbage collector's. `identities` is
 * asked for only where something looks like one: it costs a hash for each policy.
 */
export function orphanedOutputs(cache: NamespaceCache, identities: () => readonly string[]): readonly OwnOutput[] {
  const candidates = allOutputs(cache).filter(({ live }) => {
    const identity = live.metadata.labels?.[POLICY_LABEL] ?? '';
    const named = live.metadata.name === `ap-${OUTPUT_SHORT_KIND}-${identity}`;
    return named && isManaged(live) && controllerOf(live) === undefined;
  });
  if (candidates.length === 0) return [];
  const known = new Set(identities());
  return candidates.filter(({ live }) => !known.has(live.metadata.labels?.[POLICY_LABEL] ?? ''));
}

/**
 * What is in force although nothing was applied in this reconcile: the outputs that are there, when they are what was put in
 * force. Undefined when that cannot be said.
 */
export function stillInForce(claim: Claim, cache: NamespaceCache): InForce | undefined {
  const outputs = ownOutputs(claim, cache).map(({ live }) => live);
  const { recorded } = claim;
  if (outputs.length === 0 || recorded === undefined) return undefined;
  if (recorded.specHash === digestOf(outputs)) return recorded;
  return appliedUnrecorded(outputs, claim);
}

/**
 * Applied, but the process ended before the status was written: the recorded objects say of themselves that they are of a newer
 * generation, and nobody else holds what they enforce.
 */
function appliedUnrecorded(outputs: readonly KubeObject[], claim: Claim): InForce | undefined {
  const uids = recordedUids(claim);
  const generations = new Set(outputs.map((live) => Number(live.metadata.annotations?.[GENERATION_ANNOTATION])));
  const [generation = 0] = generations;
  const newer =
    generations.size === 1 && Number.isSafeInteger(generation) && generation > (claim.recorded?.generation ?? 0);
  const untouched = outputs.every(
    (live) => uids.includes(live.metadata.uid ?? '') && foreignManagers(live).length === 0,
  );
  return newer && untouched ? inForceOf(outputs, generation) : undefined;
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

/** The same digest as compilation gives its result, as long as the object enforces a `spec` and nothing beside it. */
export function digestOf(outputs: readonly KubeObject[]): string {
  return outputsDigest(
    outputs.map((live) => {
      const { spec, ...beside } = enforcedPart(live);
      return {
        kind: live.kind,
        metadata: live.metadata,
        spec: Object.keys(beside).length === 0 ? spec : { spec, beside },
      };
    }),
  );
}

function allOutputs(cache: NamespaceCache): readonly OwnOutput[] {
  return outputInformers(cache).flatMap((informer) => informer.list().map((live) => ({ live, informer })));
}

function isManaged(live: KubeObject): boolean {
  return live.metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY;
}

/** The identity of a policy that the cache shows. */
export function identityOf(policy: KubeObject, owner: Pick<Owner, 'kind' | 'namespace'>): string {
  const spec = policy.spec as { readonly id?: unknown } | undefined;
  const id = typeof spec?.id === 'string' ? spec.id : undefined;
  return identityHash({ ...owner, name: policy.metadata.name, uid: policy.metadata.uid ?? '', id });
}
