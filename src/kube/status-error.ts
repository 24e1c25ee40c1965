import {
  type Attempt,
  type FieldConflict,
  isWrite,
  KubeError,
  type KubeErrorDetails,
  type KubeErrorReason,
  MAX_MESSAGE_BYTES,
  type RetryPolicy,
  type StatusCause,
} from './errors.ts';
import { boundedText } from './text.ts';
import { isRecord } from './types.ts';

/** What is left of a failed response once its body is read. */
export interface FailedResponse {
  readonly status: number;
  /** The raw `Retry-After` header. */
  readonly retryAfter?: string | undefined;
  /** Parsed JSON, or the text when it is none. */
  readonly body: unknown;
}

/** A list of causes is one per field of a broken object; nobody reads past a few. */
const MAX_CAUSES = 16;
/** A server that asks for more is not believed: a mistyped header must not stop a controller for a day. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Classifies a non-2xx answer, or the Status of a watch ERROR event. Total: an unknown shape still gives a reason. */
export function errorFromResponse(attempt: Attempt, response: FailedResponse): KubeError {
  const status = isRecord(response.body) ? response.body : {};
  const causes = causesOf(status);
  const message = messageOf(response, status);
  const reason = reasonOf(attempt, { code: response.status, reason: String(status.reason ?? ''), message, causes });
  const retry = retryOf(attempt, reason, retryAfterMs(response.retryAfter, status));
  const details: KubeErrorDetails = {
    status: response.status,
    causes,
    fieldConflicts: reason === 'FieldConflict' ? fieldConflictsOf(causes) : [],
    outcomeUnknown: isWrite(attempt.verb) && (reason === 'Server' || reason === 'Timeout'),
    ...(retry === undefined ? {} : { retry }),
  };
  return new KubeError(reason, attempt, message, details);
}

interface Classified {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly StatusCause[];
}

const FIELD_MANAGER_CONFLICT = 'FieldManagerConflict';

function reasonOf(attempt: Attempt, answer: Classified): KubeErrorReason {
  switch (answer.code) {
    case 401:
      return isAdmissionText(answer.message) ? 'RejectedByAdmission' : 'Unauthorized';
    case 403:
      return isAuthorizerDenial(attempt, answer.message) ? 'Forbidden' : 'RejectedByAdmission';
    case 404:
      return 'NotFound';
    case 408:
    case 504:
      return 'Timeout';
    case 409:
      return conflictReason(answer);
    case 410:
      return 'Gone';
    case 413:
      return isAdmissionText(answer.message) ? 'RejectedByAdmission' : 'TooLarge';
    case 429:
      return 'TooMany';
    default:
      return reasonOfOther(answer);
  }
}

function reasonOfOther(answer: Classified): KubeErrorReason {
  if (answer.code >= 500) {
    // etcd's and its gRPC client's limits arrive as a 500; repeating the same body can not succeed.
    return /etcdserver: request is too large|trying to send message larger than max/.test(answer.message)
      ? 'TooLarge'
      : 'Server';
  }
  if (answer.code >= 400) {
    return isAdmissionText(answer.message) ? 'RejectedByAdmission' : invalidReason(answer);
  }
  return 'Malformed';
}

/** An apply whose `metadata.uid` is another incarnation's is answered as an immutable field, but it is a failed precondition. */
function invalidReason(answer: Classified): KubeErrorReason {
  return answer.causes.some((cause) => cause.field === 'metadata.uid') ? 'Conflict' : 'Invalid';
}

function conflictReason(answer: Classified): KubeErrorReason {
  if (answer.reason === 'AlreadyExists') {
    return 'AlreadyExists';
  }
  return answer.causes.some((cause) => cause.reason === FIELD_MANAGER_CONFLICT) ? 'FieldConflict' : 'Conflict';
}

/**
 * Admission plugins choose their own status code, so only the text tells them from the authorizer:
 * kubernetes/kubernetes staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go and
 * .../plugin/webhook/errors/statuserror.go.
 */
function isAdmissionText(message: string): boolean {
  return /ValidatingAdmissionPolicy '|admission webhook "[^"]*" denied the request/.test(message);
}

/**
 * The authorizer's answer always says `User "x" cannot <verb> ...` (kubernetes/kubernetes
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go). Any other 403 on a write comes from an admission plugin
 * (quota, pod security, a terminating namespace); reads have no admission.
 */
function isAuthorizerDenial(attempt: Attempt, message: string): boolean {
  if (!isWrite(attempt.verb)) {
    return true;
  }
  return !isAdmissionText(message) && / cannot (?:[a-z]+ )(?:resource|path) /.test(message);
}

function retryOf(attempt: Attempt, reason: KubeErrorReason, afterMs: number | undefined): RetryPolicy | undefined {
  // What a create does not find is the API itself, or the namespace: no event of an object will tell of its return.
  if (reason === 'NotFound' && attempt.verb === 'create') {
    return 'backoff';
  }
  if (afterMs === undefined || (reason !== 'TooMany' && reason !== 'Server' && reason !== 'Timeout')) {
    return undefined;
  }
  return { afterMs };
}

/** Seconds from the header or, as the API server also writes it, from the Status. The header's HTTP-date form is not used by it. */
function retryAfterMs(header: string | undefined, status: Record<string, unknown>): number | undefined {
  const details = isRecord(status.details) ? status.details : {};
  const seconds = header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : details.retryAfterSeconds;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) {
    return undefined;
  }
  return Math.min(seconds * 1000, MAX_RETRY_AFTER_MS);
}

function messageOf(response: FailedResponse, status: Record<string, unknown>): string {
  if (typeof status.message === 'string' && status.message !== '') {
    return status.message;
  }
  const text = typeof response.body === 'string' ? response.body.trim() : '';
  return text === '' ? `the server answered ${response.status}` : `the server answered ${response.status}: ${text}`;
}

function causesOf(status: Record<string, unknown>): StatusCause[] {
  const details = isRecord(status.details) ? status.details : {};
  const causes = Array.isArray(details.causes) ? details.causes.slice(0, MAX_CAUSES) : [];
  return causes.filter(isRecord).map((cause) => ({
    reason: safeText(cause.reason),
    field: safeText(cause.field),
    message: safeText(cause.message),
  }));
}

function safeText(value: unknown): string {
  return typeof value === 'string' ? boundedText(value, MAX_MESSAGE_BYTES) : '';
}

/** `conflict with "manager" using apps/v1`: the only place where the server names the other manager. */
function fieldConflictsOf(causes: readonly StatusCause[]): FieldConflict[] {
  return causes
    .filter((cause) => cause.reason === FIELD_MANAGER_CONFLICT)
    .map((cause) => ({
      manager: /^conflict with "((?:[^"\\]|\\.)*)"/.exec(cause.message)?.[1] ?? '',
      field: cause.field,
      message: cause.message,
    }));
}
