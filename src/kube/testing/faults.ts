import type { KubeErrorReason, RetryPolicy } from '../errors.ts';
import type { Fault } from './fake-faults.ts';
import { statusBody } from './fake-status.ts';

/** One way in which a request goes wrong, and what the client must make of it. */
export interface FaultCase {
  readonly name: string;
  readonly fault: Fault;
  readonly reason: KubeErrorReason;
  readonly retry: RetryPolicy;
  /** Of a write: whether it may have been committed. */
  readonly unknown: boolean;
  /** Only an answer with a body can go wrong like this: a watch has none. */
  readonly needsBody?: true;
}

const status = (code: number, reason: string, headers: Record<string, string> = {}): Fault => ({
  kind: 'respond',
  status: code,
  body: statusBody(code, reason, 'on purpose'),
  headers,
});
const retryAfter = { 'retry-after': '20' };
const named = { afterMs: 20_000 };
const json = { 'content-type': 'application/json' };

const lost = { unknown: true, retry: 'outage' } as const;
const refused = { unknown: false, retry: 'backoff' } as const;
const final = { unknown: false, retry: 'never' } as const;

export const FAULT_CASES: readonly FaultCase[] = [
  { name: 'closed before commit', fault: { kind: 'close' }, reason: 'Transport', ...lost },
  { name: 'closed after commit', fault: { kind: 'close-after-commit' }, reason: 'Transport', ...lost },
  { name: 'no answer', fault: { kind: 'stall' }, reason: 'Timeout', ...lost },
  { name: 'no answer after commit', fault: { kind: 'stall-after-commit' }, reason: 'Timeout', ...lost },
  {
    name: 'closed within the body',
    fault: { kind: 'truncate', bytes: 20, after: 'close' },
    reason: 'Transport',
    ...lost,
    needsBody: true,
  },
  {
    name: 'silent within the body',
    fault: { kind: 'truncate', bytes: 20, after: 'stall' },
    reason: 'Timeout',
    ...lost,
    needsBody: true,
  },
  {
    name: 'a body that ends within a character',
    fault: { kind: 'raw', bytes: Buffer.from('{"kind":"€').subarray(0, -1) },
    reason: 'Malformed',
    ...lost,
    needsBody: true,
  },
  {
    name: 'an empty body',
    fault: { kind: 'respond', status: 200, body: '', headers: json },
    reason: 'Malformed',
    ...lost,
    needsBody: true,
  },
  { name: 'HTML with 200', fault: { kind: 'respond', status: 200, body: '<html>' }, reason: 'Malformed', ...lost },
  { name: 'HTML with 502', fault: { kind: 'respond', status: 502, body: '<html>' }, reason: 'Server', ...lost },
  {
    name: 'a redirect',
    fault: { kind: 'respond', status: 307, body: 'moved', headers: { location: '/elsewhere' } },
    reason: 'Malformed',
    ...lost,
  },
  { name: '400', fault: status(400, 'BadRequest'), reason: 'Invalid', ...final },
  { name: '401', fault: status(401, 'Unauthorized'), reason: 'Unauthorized', ...refused },
  { name: '404', fault: status(404, 'NotFound'), reason: 'NotFound', ...final },
  { name: '409 Conflict', fault: status(409, 'Conflict'), reason: 'Conflict', ...refused },
  { name: '409 AlreadyExists', fault: status(409, 'AlreadyExists'), reason: 'AlreadyExists', ...final },
  { name: '410', fault: status(410, 'Expired'), reason: 'Gone', ...refused },
  { name: '413', fault: status(413, 'RequestEntityTooLarge'), reason: 'TooLarge', ...final },
  { name: '422', fault: status(422, 'Invalid'), reason: 'Invalid', ...final },
  { name: '429', fault: status(429, 'TooManyRequests'), reason: 'TooMany', unknown: false, retry: { afterMs: 1000 } },
  {
    name: '429 with Retry-After',
    fault: status(429, 'TooManyRequests', retryAfter),
    reason: 'TooMany',
    unknown: false,
    retry: named,
  },
  { name: '500', fault: status(500, 'InternalError'), reason: 'Server', ...lost },
  { name: '503', fault: status(503, 'ServiceUnavailable'), reason: 'Server', ...lost },
  {
    name: '503 with Retry-After',
    fault: status(503, 'ServiceUnavailable', retryAfter),
    reason: 'Server',
    unknown: true,
    retry: named,
  },
  { name: '504', fault: status(504, 'Timeout'), reason: 'Timeout', ...lost },
];
