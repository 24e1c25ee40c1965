/** Names, labels and owner references of generated objects. They derive from stable identity, never from user input. */
import { createHash } from 'node:crypto';
import { API_VERSION, MANAGED_BY, MANAGED_BY_LABEL, POLICY_LABEL } from '../api/meta.ts';

/** Who a generated object belongs to. */
export interface Owner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `spec.id`, when set. */
  readonly id?: string | undefined;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
}

export interface OutputMeta {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly OwnerReference[];
}

/** An object that compilation asks for. All its fields are decided here; nothing else of the live object is ours. */
export interface DesiredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: OutputMeta;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The kind of policy, as it appears in the names of its outputs: `ap-egress-<hash>`. */
export const OUTPUT_SHORT_KIND = 'egress';

/** 16 hexadecimal digits over kind and stable identity. An id and a UID never collide: they are told apart. */
export function identityHash(owner: Owner): string {
  const identity = owner.id === undefined ? `uid:${owner.uid}` : `id:${owner.id}`;
  return createHash('sha256').update(`${owner.kind}\n${identity}`).digest('hex').slice(0, 16);
}

export function outputMeta(owner: Owner, shortKind: string): OutputMeta {
  const hash = identityHash(owner);
  return {
    name: `ap-${shortKind}-${hash}`,
    namespace: owner.namespace,
    labels: { [MANAGED_BY_LABEL]: MANAGED_BY, [POLICY_LABEL]: hash },
    // blockOwnerDeletion needs a right on the owner's finalizers where OwnerReferencesPermissionEnforcement is on;
    // background garbage collection does without it.
    ownerReferences: [
      {
        apiVersion: API_VERSION,
        kind: owner.kind,
        name: owner.name,
        uid: owner.uid,
        controller: true,
        blockOwnerDeletion: false,
      },
    ],
  };
}
