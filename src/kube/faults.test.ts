import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import type { KubeError } from './errors.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { statusBody } from './testing/fake-status.ts';
import { PATIENT_MS, WIDGETS, WIDGETS_PATH, widget } from './testing/fixtures.ts';

const ANY = () => true;
const REF = { namespace: 'team', name: 'a' };

let api: FakeApi;
let client: Client;

beforeEach(async () => {
  api = await startFakeApi();
  client = clientFor(api);
});

afterEach(async () => {
  await client.close();
  await api.close();
});

function clientFor(server: FakeApi, user?: Record<string, unknown>): Client {
  return createClient({ kubeConfig: server.kubeConfig(user), userAgent: 'tester/1.0', requestTimeoutMs: PATIENT_MS });
}

async function failureOf(call: Promise<unknown>): Promise<KubeError> {
  return call.then(
    () => expect.unreachable('the call should have failed'),
    (error: KubeError) => error,
  );
}

const read = () => failureOf(client.get(WIDGETS, REF));
const write = () => failureOf(client.create(WIDGETS, widget('a'), { fieldManager: 'tester' }));

describe('a lost answer', () => {
  it('is a known failure when no connection was made', async () => {
    await api.close();
    expect(await write()).toMatchObject({ reason: 'Transport', outcomeUnknown: false });
  });

  it('is the caller’s when the caller aborted', async () => {
    api.fault(ANY, { kind: 'stall' });
    const controller = new AbortController();
    const failed = failureOf(client.get(WIDGETS, REF, { signal: controller.signal }));
    controller.abort();
    expect(await failed).toMatchObject({ reason: 'Aborted', retry: 'never' });
  });

  it('is not sent at all when the caller had aborted before', async () => {
    const options = { fieldManager: 'tester', signal: AbortSignal.abort() };
    const error = await failureOf(client.create(WIDGETS, widget('a'), options));
    expect(error).toMatchObject({ reason: 'Aborted', outcomeUnknown: false });
    expect(api.requests).toHaveLength(0);
  });
});

describe('an answer that is not the API’s', () => {
  it('is malformed when it is broken JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    api.fault(ANY, { kind: 'respond', status: 200, body: '{"kind":', headers });
    expect((await read()).reason).toBe('Malformed');
  });

  it('is not followed when it is a redirect, so the token stays here', async () => {
    const other = await startFakeApi();
    const headers = { location: `${other.url}/steal` };
    api.fault(ANY, { kind: 'respond', status: 307, body: 'moved', headers });
    expect((await read()).reason).toBe('Malformed');
    expect(other.requests).toHaveLength(0);
    await other.close();
  });

  it('is refused when it is too large to hold', async () => {
    const body = { ...widget('a'), filler: 'x'.repeat(5 * 1024 * 1024) };
    api.fault(ANY, { kind: 'respond', status: 200, body });
    expect((await read()).reason).toBe('TooLarge');
  });
});

describe('a list that is too large for one answer', () => {
  it('is read in smaller pages, down to one object', async () => {
    for (const name of ['a', 'b', 'c']) await client.create(WIDGETS, widget(name), { fieldManager: 'tester' });
    const tooMany = (request: { readonly query: URLSearchParams }) => Number(request.query.get('limit') ?? 0) > 1;
    api.fault(tooMany, { kind: 'respond', status: 413, body: { kind: 'Status', code: 413 } }, 1000);
    const { items } = await client.list(WIDGETS, { namespace: 'team' });
    expect(items.map((item) => item.metadata.name)).toEqual(['a', 'b', 'c']);
  });

  it('fails when even one object is too large', async () => {
    api.fault(ANY, { kind: 'respond', status: 413, body: { kind: 'Status', code: 413 } }, 1000);
    expect((await failureOf(client.list(WIDGETS, { namespace: 'team' }))).reason).toBe('TooLarge');
  });
});

describe('a refusal', () => {
  it('never repeats the token, even when the server does', async () => {
    api.fault(ANY, { kind: 'respond', status: 500, body: 'you sent Bearer secret-token\u001b[31m' });
    const error = await read();
    expect(error.message).not.toContain('secret-token');
    expect(error.message).toContain('[redacted]\\u{1b}');
  });
});

describe('credentials', () => {
  const unauthorized = { kind: 'respond', status: 401, body: statusBody(401, 'Unauthorized', 'Unauthorized') } as const;
  let folder: string;
  let tokenFile: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'token-'));
    tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'first\n');
    await client.close();
    client = clientFor(api, { authProvider: { name: 'tokenFile', config: { tokenFile } } });
    api.collection(WIDGETS_PATH).put(widget('a'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const tokens = () => api.requests.map((request) => request.headers.authorization);

  it('are read again after one 401', async () => {
    await client.get(WIDGETS, REF);
    writeFileSync(tokenFile, 'second');
    api.fault((request) => request.headers.authorization === 'Bearer first', unauthorized);
    await client.get(WIDGETS, REF);
    expect(tokens()).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
  });

  it('are given up after a second 401', async () => {
    api.fault(ANY, unauthorized, 5);
    expect(await read()).toMatchObject({ reason: 'Unauthorized', retry: 'backoff' });
    expect(api.requests).toHaveLength(2);
  });

  it('that can not be read fail the call and heal with the file', async () => {
    await rm(tokenFile);
    expect(await write()).toMatchObject({ reason: 'Unauthorized', outcomeUnknown: false });
    writeFileSync(tokenFile, 'third');
    await client.get(WIDGETS, REF);
    expect(tokens()).toEqual(['Bearer third']);
  });
});
