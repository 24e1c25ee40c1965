/** A case of the schema tables: run in this process by the unit tests, and against a real API server by the api tests. */
export interface SchemaCase {
  readonly name: string;
  readonly metadataName?: string;
  readonly spec: unknown;
  /** Given: the object is stored with this spec first, and `spec` is an update. */
  readonly before?: unknown;
  /** Absent: accepted. Given: refused, and the message of both judges matches. */
  readonly refused?: RegExp;
  /** Only the API server's wording differs from ours. */
  readonly refusedByServer?: RegExp;
}
