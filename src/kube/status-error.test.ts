import { describe, expect, it } from 'vitest';
import type { Attempt, Verb } from './errors.ts';
import { KubeError, MAX_MESSAGE_BYTES } from './errors.ts';
import { errorFromResponse } from './status-error.ts';
import { statusBody } from './testing/fake-status.ts';

const attempt = (verb: Verb = 'patch'): Attempt => ({
  verb,
  resource: 'networkpolicies.networking.k8s.io',
  namespace: 'team',
  name: 'np',
});

const errorOf = (code: number, body: unknown, verb: Verb = 'patch') =>
  errorFromResponse(attempt(verb), { status: code, body });

const RBAC =
  'networkpolicies.networking.k8s.io "np" is forbidden: User "system:serviceaccount:ops:op" cannot patch resource ' +
  '"networkpolicies" in API group "networking.k8s.io" in the namespace "team"';
const POLICY =
  "networkpolicies.networking.k8s.io \"np\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";
const WEBHOOK = 'admission webhook "guard.example.test" denied the request: User "x" cannot patch resource "y"';
const QUOTA = 'networkpolicies.networking.k8s.io "np" is forbidden: exceeded quota: count';

describe('the reason', () => {
  it.each([
    [400, statusBody(400, 'BadRequest', 'strict decoding error: unknown field "spec.egres"'), 'Invalid'],
    [401, statusBody(401, 'Unauthorized', 'Unauthorized'), 'Unauthorized'],
    [403, statusBody(403, 'Forbidden', RBAC), 'Forbidden'],
    [403, statusBody(403, 'Forbidden', POLICY), 'RejectedByAdmission'],
    [403, statusBody(403, 'Forbidden', WEBHOOK), 'RejectedByAdmission'],
    [403, statusBody(403, 'Forbidden', QUOTA), 'RejectedByAdmission'],
    [404, '404 page not found\n', 'NotFound'],
    [409, statusBody(409, 'AlreadyExists', 'exists'), 'AlreadyExists'],
    [409, statusBody(409, 'Conflict', 'Precondition failed: UID in precondition'), 'Conflict'],
    [410, statusBody(410, 'Expired', 'too old'), 'Gone'],
    [413, statusBody(413, 'RequestEntityTooLarge', 'limit is 3145728'), 'TooLarge'],
    [413, statusBody(413, 'RequestEntityTooLarge', POLICY), 'RejectedByAdmission'],
    [422, statusBody(422, 'Invalid', 'spec.x: Required value'), 'Invalid'],
    [422, statusBody(422, 'Invalid', POLICY), 'RejectedByAdmission'],
    [429, statusBody(429, 'TooManyRequests', 'slow'), 'TooMany'],
    [500, statusBody(500, 'InternalError', 'etcdserver: request timed out'), 'Server'],
    [500, statusBody(500, '', 'etcdserver: request is too large'), 'TooLarge'],
    [503, '', 'Server'],
    [504, statusBody(504, 'Timeout', 'too large resource version'), 'Timeout'],
    [418, '', 'Invalid'],
    [302, '', 'Malformed'],
  ])('of %i %j is %s', (code, body, reason) => {
    expect(errorOf(code, body).reason).toBe(reason);
  });

  it('of a refused read is always the authorizer’s', () => {
    expect(errorOf(403, statusBody(403, 'Forbidden', 'no'), 'list').reason).toBe('Forbidden');
  });

  it.each([null, [], 7, 'x', { details: 'x', reason: 5, message: [] }, { details: { causes: [1, null, {}] } }])(
    'is found for the odd body %j',
    (body) => {
      expect(errorOf(409, body).reason).toBe('Conflict');
    },
  );
});

describe('an apply on another incarnation', () => {
  it('is a conflict, although the server calls it invalid', () => {
    const message = 'Invalid value: "x": field is immutable';
    const cause = (field: string) => ({ causes: [{ reason: 'FieldValueInvalid', field, message }] });
    expect(errorOf(422, statusBody(422, 'Invalid', 'x', cause('metadata.uid'))).reason).toBe('Conflict');
    expect(errorOf(422, statusBody(422, 'Invalid', 'x', cause('spec.podSelector'))).reason).toBe('Invalid');
  });
});

describe('field conflicts', () => {
  const conflict = (message: string) => ({ reason: 'FieldManagerConflict', message, field: '.spec.egress' });

  it('name each manager and field', () => {
    const causes = [
      conflict('conflict with "kubectl-edit" using networking.k8s.io/v1'),
      conflict('conflict with "other" with subresource "status" using networking.k8s.io/v1'),
    ];
    const error = errorOf(409, statusBody(409, 'Conflict', 'Apply failed with 2 conflicts', { causes }));
    expect(error.reason).toBe('FieldConflict');
    expect(error.fieldConflicts.map(({ manager, field }) => `${manager} ${field}`)).toEqual([
      'kubectl-edit .spec.egress',
      'other .spec.egress',
    ]);
  });

  it('are a finite number', () => {
    const causes = Array.from({ length: 1000 }, () => conflict('conflict with "x" using v1'));
    expect(errorOf(409, statusBody(409, 'Conflict', 'x', { causes })).fieldConflicts).toHaveLength(16);
  });
});

describe('retry', () => {
  it('takes the seconds of the Status when there is no header', () => {
    const body = statusBody(429, 'TooManyRequests', 'slow', { retryAfterSeconds: 2 });
    expect(errorOf(429, body).retry).toEqual({ afterMs: 2000 });
  });

  it('does not believe an absurd delay', () => {
    const error = errorFromResponse(attempt(), { status: 429, retryAfter: '999999999', body: '' });
    expect(error.retry).toEqual({ afterMs: 300_000 });
  });

  it('is worth it for a create into what does not exist yet, and for nothing else that is not found', () => {
    expect(errorOf(404, '404 page not found\n', 'create').retry).toBe('backoff');
    expect(errorOf(404, statusBody(404, 'NotFound', 'x'), 'patch').retry).toBe('never');
  });

  it('is not changed by a header on a refusal', () => {
    expect(errorFromResponse(attempt(), { status: 422, retryAfter: '1', body: '' }).retry).toBe('never');
  });
});

describe('the message', () => {
  it('names verb, resource, name and namespace', () => {
    expect(errorOf(404, '').message).toMatch(/^patch networkpolicies.networking.k8s.io "np" in namespace "team": /);
  });

  it('is bounded and has no control characters', () => {
    const error = new KubeError('Server', attempt(), `\u001b[2J\n${'é'.repeat(5000)}`);
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(error.message).toContain('\\u{1b}[2J\\u{a}é');
  });
});
