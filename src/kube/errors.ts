import { boundedText } from './text.ts';

/**
 * Every way a call to the API server can fail. Closed: a `switch` over it is checked for exhaustiveness by the compiler.
 *
 * - `NotFound`: the object; of a create the namespace, or the whole API.
 * - `Conflict`: the resourceVersion or UID precondition did not hold; read again.
 * - `FieldConflict`: server-side apply without force met another manager's field; see `KubeError.fieldConflicts`.
 * - `Forbidden`: the authorizer said no; `KubeError.attempt` names the verb, resource and namespace to grant.
 * - `RejectedByAdmission`: the verb is granted, but a policy, webhook or other admission plugin refused this object.
 * - `TooLarge`: the request is more than the server takes, or the response more than we read.
 * - `Malformed`: an answer that is not the API's: HTML, a redirect, broken JSON. Usually a proxy in between.
 * - `Aborted`: the caller's own signal ended the call.
 */
export type KubeErrorReason =
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'FieldConflict'
  | 'Invalid'
  | 'Forbidden'
  | 'RejectedByAdmission'
  | 'Unauthorized'
  | 'Gone'
  | 'TooMany'
  | 'TooLarge'
  | 'Server'
  | 'Timeout'
  | 'Transport'
  | 'Malformed'
  | 'Aborted';

/**
 * `never`: the same call will fail again until an object changes, which arrives as an event. `backoff`: it may heal by itself, without
 * an event that would tell (a granted verb). `outage`: the server, or the way to it, is broken; backs off as well, but comes back within
 * `OUTAGE_MAX_MS` of its return. `afterMs`: the server named the delay.
 */
export type RetryPolicy = 'never' | 'backoff' | 'outage' | { readonly afterMs: number };

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

/** The call as it was attempted, in the words RBAC uses. */
export interface Attempt {
  readonly verb: Verb;
  /** `plural.group`, or `plural` for the core group; the path for discovery. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface FieldConflict {
  readonly manager: string;
  /** As the server writes it, for example `.spec.egress`. */
  readonly field: string;
  readonly message: string;
}

/** A `details.causes` entry of a Status, capped and escaped. */
export interface StatusCause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export interface KubeErrorDetails {
  readonly retry?: RetryPolicy;
  /** HTTP status, where there was one. */
  readonly status?: number;
  readonly outcomeUnknown?: boolean;
  readonly fieldConflicts?: readonly FieldConflict[];
  readonly causes?: readonly StatusCause[];
}

const DEFAULT_RETRY: Readonly<Record<KubeErrorReason, RetryPolicy>> = {
  NotFound: 'never',
  AlreadyExists: 'never',
  Conflict: 'backoff',
  FieldConflict: 'never',
  Invalid: 'never',
  Forbidden: 'backoff',
  RejectedByAdmission: 'backoff',
  Unauthorized: 'backoff',
  Gone: 'backoff',
  TooMany: { afterMs: 1000 },
  TooLarge: 'never',
  Server: 'outage',
  Timeout: 'outage',
  Transport: 'outage',
  Malformed: 'outage',
  Aborted: 'never',
};

export const MAX_MESSAGE_BYTES = 1024;

/** A failed call. The message is at most 1 KiB, has no control characters, and never holds a header or a token. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly reason: KubeErrorReason;
  readonly attempt: Attempt;
  readonly retry: RetryPolicy;
  readonly status: number | undefined;
  /** True when a write may have been committed although no answer came: read before writing again. */
  readonly outcomeUnknown: boolean;
  /** Filled for `FieldConflict`, else empty. */
  readonly fieldConflicts: readonly FieldConflict[];
  readonly causes: readonly StatusCause[];

  constructor(reason: KubeErrorReason, attempt: Attempt, message: string, details: KubeErrorDetails = {}) {
    super(boundedText(`${describeAttempt(attempt)}: ${message}`, MAX_MESSAGE_BYTES));
    this.reason = reason;
    this.attempt = attempt;
    this.retry = details.retry ?? DEFAULT_RETRY[reason];
    this.status = details.status;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.fieldConflicts = details.fieldConflicts ?? [];
    this.causes = details.causes ?? [];
  }
}

export function isKubeError(error: unknown, reason?: KubeErrorReason): error is KubeError {
  return error instanceof KubeError && (reason === undefined || error.reason === reason);
}

/** Verbs whose failure can leave something behind. */
export function isWrite(verb: Verb): boolean {
  return verb === 'create' || verb === 'patch' || verb === 'delete';
}

function describeAttempt(attempt: Attempt): string {
  const resource = attempt.subresource === undefined ? attempt.resource : `${attempt.resource}/${attempt.subresource}`;
  const name = attempt.name === undefined ? '' : ` "${attempt.name}"`;
  const namespace = attempt.namespace === undefined ? '' : ` in namespace "${attempt.namespace}"`;
  return `${attempt.verb} ${resource}${name}${namespace}`;
}
