/** The object shapes every part shares. Objects are kept exactly as the server sent them: no model drops a field it does not know. */

/** One entry of `metadata.managedFields`: who owns which fields. See https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Only `name` is always there; the rest is the server's and is absent on objects we are about to send. */
export interface ObjectMeta {
  readonly name: string;
  /** In a manifest: what the API server makes the name of, where there is none. */
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Opaque for equality, but ordered as a decimal integer within one resource (KEP-5504): see `compareResourceVersions`. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  /** RFC 3339; present once a delete waits for finalizers. */
  readonly deletionTimestamp?: string;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** A served resource. `group` is empty for the core group; `plural` is the path segment. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** `namespace` is left out only for cluster-scoped resources. */
export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `networkpolicies.networking.k8s.io`, the form RBAC and kubectl use. */
export function resourceName(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for anything that has the identity a cache or an owner check needs; says nothing about the rest of the object. */
export function isKubeObject(value: unknown): value is KubeObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isRecord(value.metadata) &&
    typeof value.metadata.name === 'string' &&
    value.metadata.name !== ''
  );
}
