import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { FakeCollection } from './fake-collection.ts';
import { type Answer, handleRequest, type SeenRequest } from './fake-handlers.ts';
import { openFakeWatch, type WatchStream } from './fake-watch.ts';

/** What goes wrong with a matching request. `after-commit` lets the write happen and only loses the answer. */
export type Fault =
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'close' }
  | { readonly kind: 'close-after-commit' }
  | { readonly kind: 'stall' }
  | { readonly kind: 'truncate'; readonly bytes: number };

interface FaultRule {
  readonly matches: (request: SeenRequest) => boolean;
  remaining: number;
  readonly fault: Fault;
}

export interface FakeApi {
  readonly url: string;
  /** In order of arrival. */
  readonly requests: readonly SeenRequest[];
  /** Watches that are open now. */
  readonly watches: ReadonlySet<WatchStream>;
  /** Connections accepted since the start. */
  readonly connections: number;
  collection(path: string): FakeCollection;
  /** Stops and starts serving an API: an uninstalled CRD. */
  setServed(path: string, served: boolean): void;
  /** The next `times` matching requests go wrong. */
  fault(matches: (request: SeenRequest) => boolean, fault: Fault, times?: number): void;
  kubeConfig(user?: Record<string, unknown>): KubeConfig;
  close(): Promise<void>;
}

export interface FakeApiOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A small API server over real sockets with faults on demand. Answers like kube-apiserver where these tests look, and nowhere else. */
export async function startFakeApi(options: FakeApiOptions = {}): Promise<FakeApi> {
  const counters = { version: 100, uid: 0 };
  const collections = new Map<string, FakeCollection>();
  const unserved = new Set<string>();
  const requests: SeenRequest[] = [];
  const watches = new Set<WatchStream>();
  const rules: FaultRule[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const collection = (path: string): FakeCollection => {
    const existing = collections.get(path) ?? new FakeCollection(counters);
    collections.set(path, existing);
    return existing;
  };
  const state = {
    collection,
    isServed: (path: string) => !unserved.has(path),
    version: () => String(counters.version),
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming);
    requests.push(request);
    const rule = rules.find((candidate) => candidate.remaining > 0 && candidate.matches(request));
    if (rule !== undefined) {
      rule.remaining -= 1;
      return misbehave(rule.fault, response, () => handleRequest(state, request));
    }
    const answer = handleRequest(state, request);
    if (answer.kind === 'watch') {
      openFakeWatch({ response, collection: answer.collection, from: answer.from, watches });
      return;
    }
    send(response, answer);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    void serve(incoming, response).catch(() => response.destroy());
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    url,
    requests,
    watches,
    get connections() {
      return connections;
    },
    collection,
    setServed: (path, served) => {
      if (served) {
        unserved.delete(path);
        return;
      }
      unserved.add(path);
      for (const watch of [...watches]) {
        watch.end();
      }
    },
    fault: (matches, fault, times = 1) => rules.push({ matches, fault, remaining: times }),
    kubeConfig: (user = { token: 'secret-token' }) => kubeConfigFor(url, user),
    close: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Plain http needs the cluster to say that it does not care. */
function kubeConfigFor(url: string, user: Record<string, unknown>): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'fake', server: url, skipTLSVerify: url.startsWith('http:') }],
    users: [{ name: 'user', ...user }],
    contexts: [{ name: 'fake', cluster: 'fake', user: 'user' }],
    currentContext: 'fake',
  });
  return config;
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks).toString('utf8');
  const [path = '', query = ''] = (incoming.url ?? '').split('?');
  return {
    method: incoming.method ?? '',
    path,
    query: new URLSearchParams(query),
    headers: incoming.headers,
    body: body === '' ? undefined : JSON.parse(body),
    isWatch: new URLSearchParams(query).get('watch') === 'true',
  };
}

function misbehave(fault: Fault, response: ServerResponse, handle: () => Answer): void {
  switch (fault.kind) {
    case 'respond':
      send(response, { kind: 'response', status: fault.status, body: fault.body, headers: fault.headers ?? {} });
      return;
    case 'close':
      response.socket?.destroy();
      return;
    case 'close-after-commit':
      handle();
      response.socket?.destroy();
      return;
    case 'stall':
      return;
    case 'truncate': {
      const answer = handle();
      const text = Buffer.from(answer.kind === 'response' ? JSON.stringify(answer.body) : '');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
      response.write(text.subarray(0, fault.bytes), () => response.socket?.destroy());
    }
  }
}

function send(response: ServerResponse, answer: Answer & { readonly kind: 'response' }): void {
  const isText = typeof answer.body === 'string';
  response.writeHead(answer.status, { 'content-type': isText ? 'text/html' : 'application/json', ...answer.headers });
  response.end(isText ? answer.body : JSON.stringify(answer.body));
}
