import type { KubeObject, ObjectList, ObjectMeta, ObjectRef, Resource, WatchEvent } from './types.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `requestTimeoutMs`; for a watch it bounds the wait for the response headers. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called right before the first byte goes out, on an open connection; what it throws ends the call as `Aborted`, with nothing sent.
   * Between the call and that moment lie a token file, a handshake, and whatever time the process was stopped for.
   */
  readonly beforeSend?: (() => void) | undefined;
}

export interface SelectOptions extends CallOptions {
  /** Left out: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends SelectOptions {
  /** Objects per page; 500 unless told. */
  readonly limit?: number | undefined;
  /** Applied to each item as its page arrives, so that the whole list is never held in full. */
  readonly transform?: ((object: KubeObject) => KubeObject) | undefined;
}

export interface WatchOptions extends SelectOptions {
  readonly resourceVersion: string;
  /** After which the server ends the watch. */
  readonly timeoutSeconds: number;
  /** Without a byte for this long the watch is given up with `Timeout`. Longer than `timeoutSeconds`: an idle server may send nothing at all. */
  readonly idleTimeoutMs: number;
  readonly onOpen?: (() => void) | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager: string;
  readonly subresource?: 'status' | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly force: boolean;
}

/** Which incarnation to delete. Required: a name alone may by now belong to somebody else's object. */
export interface DeletePreconditions {
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
}

/** RFC 7386: `null` removes a field, a list replaces the whole list. */
export type MergePatch = Readonly<Record<string, unknown>>;

export interface GetJsonOptions extends CallOptions {
  readonly accept?: string | undefined;
}

/**
 * A client for one API server. Every method throws `KubeError` and nothing else, and retries nothing but one 401. Objects pass through as
 * they are: no field is dropped, added or renamed.
 */
export interface Client {
  get(resource: Resource, ref: ObjectRef, options?: CallOptions): Promise<KubeObject>;
  /** The metadata alone, without labels and annotations. Refuses an answer that holds more, as `Malformed`, and reads nothing of it. */
  getMetadata(resource: Resource, ref: ObjectRef, options?: CallOptions): Promise<ObjectMeta>;
  /** A consistent read of every page. One 410 on a page restarts the list, a second one is thrown as `Gone`. */
  list(resource: Resource, options: ListOptions): Promise<ObjectList>;
  /** Ends with the server's end of the watch; throws `Gone` when `resourceVersion` has expired. */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** POST: fails with `AlreadyExists` rather than touch what is there. */
  create(resource: Resource, object: KubeObject, options: WriteOptions): Promise<KubeObject>;
  /** Server-side apply. A `metadata.uid` in the object makes it fail with `Conflict` on another incarnation, or on none. */
  apply(resource: Resource, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** JSON merge patch. A `metadata.resourceVersion` in the patch makes it fail with `Conflict` when the object has moved. */
  mergePatch(resource: Resource, ref: ObjectRef, patch: MergePatch, options: WriteOptions): Promise<KubeObject>;
  /** `removed` is false when finalizers or a grace period keep the object for a while. */
  delete(
    resource: Resource,
    ref: ObjectRef,
    preconditions: DeletePreconditions,
    options?: CallOptions,
  ): Promise<{ readonly removed: boolean }>;
  /** GET of a discovery or OpenAPI path such as `/apis`, with its query; encoded by the caller. */
  getJson(path: string, options?: GetJsonOptions): Promise<unknown>;
  /** Ends all connections. Calls in flight fail with `Transport`. */
  close(): Promise<void>;
}
