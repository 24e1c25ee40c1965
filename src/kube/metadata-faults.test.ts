/** Metadata without content: what is asked for, what is kept of an answer, and answers that hold what must not be read. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import { KubeError } from './errors.ts';
import { METADATA_ACCEPT } from './metadata.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import type { Fault } from './testing/fake-faults.ts';
import { PATIENT_MS } from './testing/fixtures.ts';
import type { KubeObject, Resource } from './types.ts';

const SECRETS: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
const PATH = '/api/v1/namespaces/team/secrets';
const REF = { namespace: 'team', name: 'model-key' };
const CANARY = 'Y2FuYXJ5LXZhbHVl';
const managedFields = [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:data': { '.': {}, 'f:token': {} } } }];
const metadata = { ...REF, uid: 'uid-1', resourceVersion: '7', managedFields };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { token: CANARY } };
const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };

let api: FakeApi;
let client: Client;

beforeEach(async () => {
  api = await startFakeApi();
  client = createClient({ kubeConfig: api.kubeConfig(), userAgent: 'tester', requestTimeoutMs: PATIENT_MS });
});

afterEach(async () => {
  await client.close();
  await api.close();
});

const answered = (body: unknown, status = 200): Fault => ({
  kind: 'respond',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

async function answerTo(fault: Fault): Promise<unknown> {
  api.fault(() => true, fault);
  return client.getMetadata(SECRETS, REF).catch((error: unknown) => error);
}

/** Everything that a log line, a status or a debugger could show of an error. */
function shown(error: unknown): string {
  if (!(error instanceof KubeError)) return expect.unreachable('the call should have failed');
  return JSON.stringify([error.message, error.stack, error.cause, error.causes, { ...error }]);
}

describe('metadata', () => {
  it('are asked for as such, and come without labels and annotations', async () => {
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret) };
    const more = { labels: { a: CANARY }, annotations: applied };
    const stored = { ...secret, metadata: { ...metadata, ...more } } as unknown as KubeObject;
    api.collection(PATH).put(stored);
    const found = await client.getMetadata(SECRETS, REF);
    expect(api.requests[0]?.headers.accept).toBe(METADATA_ACCEPT);
    expect(found).toMatchObject({ name: 'model-key', namespace: 'team', managedFields });
    expect(JSON.stringify(found)).not.toContain(CANARY);
  });

  it('are taken in any order and setting', async () => {
    const { kind, apiVersion } = partial;
    expect(await answerTo(answered(JSON.stringify({ metadata, apiVersion, kind }, null, 2)))).toEqual(metadata);
  });

  it('that are not there, or may not be read, fail as any other read does', async () => {
    expect(await client.getMetadata(SECRETS, REF).catch((error: unknown) => error)).toMatchObject({
      reason: 'NotFound',
      attempt: { verb: 'get', resource: 'secrets', name: 'model-key' },
    });
    const message = 'secrets "model-key" is forbidden: User "x" cannot get resource "secrets"';
    const forbidden = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message };
    expect(await answerTo(answered(forbidden, 403))).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining(message),
    });
  });
});

describe('what must not be read is refused, and nothing of it is told:', () => {
  it.each([
    ['the whole Secret', answered(secret), 'Malformed'],
    ['the whole Secret under another kind', answered({ ...secret, ...partial }), 'Malformed'],
    ['a list of Secrets', answered({ kind: 'SecretList', apiVersion: 'v1', items: [secret] }), 'Malformed'],
    ['a Secret that is cut off', answered(JSON.stringify(secret).slice(0, -2)), 'Malformed'],
    ['a Secret in YAML', answered(`kind: Secret\ndata:\n  token: ${CANARY}\n`), 'Malformed'],
    [
      'a kind that is given twice',
      answered(`{"kind":"PartialObjectMetadata",${JSON.stringify(secret).slice(1)}`),
      'Malformed',
    ],
    ['metadata without a name', answered({ ...partial, metadata: { uid: CANARY } }), 'Malformed'],
    [
      'managed fields that are none',
      answered({ ...partial, metadata: { ...metadata, managedFields: [CANARY] } }),
      'Malformed',
    ],
    ['another version', answered({ ...partial, apiVersion: CANARY }), 'Malformed'],
    ['a failure with the Secret in it', answered(secret, 500), 'Server'],
    [
      'a failure with its text in it',
      { ...answered(secret, 400), headers: { 'content-type': 'text/plain' } },
      'Invalid',
    ],
    ['a failure with no JSON in it', answered(`token: ${CANARY}`, 422), 'Invalid'],
  ] as const)('%s', async (_, fault, reason) => {
    const error = await answerTo(fault);
    expect(error).toMatchObject({ reason });
    expect(shown(error)).not.toContain(CANARY);
  });
});
