/** Whose is a live object? Nothing is written to one that is not ours, and none is ever adopted. */
import { API_VERSION, POLICY_LABEL } from '../api/meta.ts';
import { identityHash, type Owner } from '../compile/names.ts';
import type { KubeObject, OwnerReference } from '../kube/types.ts';

/**
 * An object is ours when its controller is the policy, by all that a reference says, and it carries the policy's identity label.
 *
 * When one of the two was stripped or changed, the object is still ours if the policy's own status recorded its UID as an output:
 * taking away a mark must not lift enforcement. Without both marks it is a stranger.
 */
export function isOurs(live: KubeObject, owner: Owner, recordedUids: readonly string[]): boolean {
  const controlled = isControlledBy(live, owner);
  const labelled = live.metadata.labels?.[POLICY_LABEL] === identityHash(owner);
  if (controlled && labelled) return true;
  const controller = controllerOf(live);
  if (controller !== undefined && controller.uid !== owner.uid) return false;
  return (controlled || labelled) && live.metadata.uid !== undefined && recordedUids.includes(live.metadata.uid);
}

/** A UID alone proves nothing: whoever writes an object may put any into a reference, beside any kind and name. */
export function isControlledBy(live: Pick<KubeObject, 'metadata'>, { kind, name, uid }: Owner): boolean {
  const controller = controllerOf(live);
  return (
    controller?.apiVersion === API_VERSION &&
    controller.kind === kind &&
    controller.name === name &&
    controller.uid === uid
  );
}

export function controllerOf(live: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return live.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** For a person: what stands in the way, and how to get it out. */
export function describeForeign(live: KubeObject): string {
  const controller = controllerOf(live);
  const whose =
    controller === undefined ? 'has no controller' : `is controlled by ${controller.kind} ${controller.name}`;
  return `${live.kind} ${live.metadata.name} exists and is not ours (uid ${live.metadata.uid}, ${whose}): rename or delete it`;
}
