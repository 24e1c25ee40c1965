/** What may happen between a call and its first byte: a handshake that takes its time, or never ends. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import { selfSignedCertificate } from './testing/certificate.ts';
import { type FakeApi, startFakeApi } from './testing/fake-api.ts';
import { PATIENT_MS, WIDGETS, widget } from './testing/fixtures.ts';

interface Gate {
  readonly port: number;
  /** Connections that were accepted, and wait. */
  readonly waiting: readonly Socket[];
  open(): void;
  close(): void;
}

/** Accepts connections, and passes nothing on until it is opened: an API server that is stopped by a signal looks like that. */
async function startGate(target: string): Promise<Gate> {
  const waiting: Socket[] = [];
  let isOpen = false;
  const pass = (socket: Socket) => socket.pipe(connect(Number(new URL(target).port), '127.0.0.1')).pipe(socket);
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isOpen) pass(socket);
    else waiting.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    waiting,
    open: () => {
      isOpen = true;
      for (const socket of waiting) pass(socket);
    },
    close: () => {
      for (const socket of waiting) socket.destroy();
      server.close();
    },
  };
}

let api: FakeApi;
let gate: Gate;
let client: Client;
const certificate = selfSignedCertificate('fake-api');

beforeAll(async () => {
  api = await startFakeApi({ tls: certificate });
});

afterAll(() => api.close());

beforeEach(async () => {
  gate = await startGate(api.url);
  const kubeConfig = api.kubeConfig();
  const cluster = {
    server: `https://127.0.0.1:${gate.port}`,
    caData: Buffer.from(certificate.cert).toString('base64'),
  };
  Object.assign(kubeConfig.clusters[0] ?? {}, cluster);
  client = createClient({ kubeConfig, userAgent: 'tester', requestTimeoutMs: PATIENT_MS });
});

afterEach(async () => {
  gate.close();
  await client.close();
});

const connected = () => vi.waitFor(() => expect(gate.waiting).toHaveLength(1), PATIENT_MS);

describe('a call whose connection takes its time', () => {
  it.each([
    ['is sent when it still may be', true],
    ['is not sent when it may not any more', false],
  ])('%s', async (_, mayStill) => {
    let may = true;
    const beforeSend = () => {
      if (!may) throw new Error('too late');
    };
    const before = api.requests.length;
    const name = `may-${mayStill}`;
    const outcome = client.create(WIDGETS, widget(name), { fieldManager: 'tester', beforeSend }).then(
      (created) => created.metadata.name,
      (error: unknown) => error,
    );
    await connected();
    may = mayStill;
    gate.open();
    if (mayStill) {
      expect(await outcome).toBe(name);
      return;
    }
    expect(await outcome).toMatchObject({ reason: 'Aborted', outcomeUnknown: false, retry: 'never' });
    expect(String(await outcome)).toContain('too late');
    expect(api.requests).toHaveLength(before);
  });

  it('ends at its deadline, and is not sent later', async () => {
    const before = api.requests.length;
    const started = performance.now();
    const call = client.create(WIDGETS, widget('late'), { fieldManager: 'tester', timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({ reason: 'Timeout' });
    // The connect timeout is ten seconds.
    expect(performance.now() - started).toBeLessThan(9000);
    gate.open();
    await client.create(WIDGETS, widget('next'), { fieldManager: 'tester' });
    expect(api.requests.slice(before).map(({ body }) => body)).toEqual([widget('next')]);
  });
});
