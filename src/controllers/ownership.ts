/** Whose is a live object? Nothing is written to one that is not ours, and none is ever adopted. */
import { POLICY_LABEL } from '../api/meta.ts';
import { identityHash, type Owner } from '../compile/names.ts';
import type { KubeObject } from '../kube/types.ts';

/**
 * An object is ours when its controller is the policy, by UID, and it carries the policy's identity label.
 *
 * When one of the two was stripped, the object is still ours if the policy's own status recorded its UID as an output:
 * taking away a mark must not lift enforcement. Without both marks it is a stranger.
 */
export function isOurs(live: KubeObject, owner: Owner, recordedUids: readonly string[]): boolean {
  const controlled = controllerOf(live)?.uid === owner.uid;
  const labelled = live.metadata.labels?.[POLICY_LABEL] === identityHash(owner);
  if (controlled && labelled) return true;
  const foreignController = controllerOf(live) !== undefined && !controlled;
  if (foreignController) return false;
  return (controlled || labelled) && live.metadata.uid !== undefined && recordedUids.includes(live.metadata.uid);
}

export function controllerOf(
  live: Pick<KubeObject, 'metadata'>,
): { readonly kind: string; readonly name: string; readonly uid: string } | undefined {
  return live.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** For a person: what stands in the way, and how to get it out. */
export function describeForeign(live: KubeObject): string {
  const controller = controllerOf(live);
  const whose =
    controller === undefined ? 'has no controller' : `is controlled by ${controller.kind} ${controller.name}`;
  return `${live.kind} ${live.metadata.name} exists and is not ours (uid ${live.metadata.uid}, ${whose}): rename or delete it`;
}
