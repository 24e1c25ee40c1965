import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { FakeCollection } from './fake-collection.ts';
import { type Fault, misbehave, send } from './fake-faults.ts';
import { type FakeState, handleRequest, type SeenRequest } from './fake-handlers.ts';
import { openFakeWatch, type WatchStream } from './fake-watch.ts';

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
  /** Connections that are open now. */
  readonly openConnections: number;
  collection(path: string): FakeCollection;
  /** Stops and starts serving an API: an uninstalled CRD. */
  setServed(path: string, served: boolean): void;
  /** The next `times` matching requests go wrong. */
  fault(matches: (request: SeenRequest) => boolean, fault: Fault, times?: number): void;
  kubeConfig(user?: Record<string, unknown>): KubeConfig;
  close(): Promise<void>;
}

export interface FakeApiOptions {
  /** For `SeenRequest.atMs`. */
  readonly now?: () => number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A small API server over real sockets with faults on demand. Answers like kube-apiserver where these tests look, and nowhere else. */
export async function startFakeApi(options: FakeApiOptions = {}): Promise<FakeApi> {
  const api = new FakeApiServer(options);
  await api.listen();
  return api;
}

class FakeApiServer implements FakeApi {
  readonly requests: SeenRequest[] = [];
  readonly watches = new Set<WatchStream>();
  readonly #server: Server;
  readonly #scheme: string;
  readonly #counters = { version: 100, uid: 0 };
  readonly #collections = new Map<string, FakeCollection>();
  readonly #unserved = new Set<string>();
  readonly #rules: FaultRule[] = [];
  readonly #now: () => number;
  readonly #sockets = new Set<Socket>();
  readonly #state: FakeState = {
    collection: (path) => this.collection(path),
    isServed: (path) => !this.#unserved.has(path),
    version: () => String(this.#counters.version),
  };
  #url = '';
  #connections = 0;

  constructor({ tls, now = () => performance.now() }: FakeApiOptions) {
    this.#now = now;
    const listener = (incoming: IncomingMessage, response: ServerResponse) => {
      void this.#serve(incoming, response).catch(() => response.destroy());
    };
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on('connection', (socket: Socket) => this.#track(socket));
  }

  get url(): string {
    return this.#url;
  }

  get connections(): number {
    return this.#connections;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    this.#url = `${this.#scheme}://127.0.0.1:${port}`;
  }

  collection(path: string): FakeCollection {
    const existing = this.#collections.get(path) ?? new FakeCollection(this.#counters);
    this.#collections.set(path, existing);
    return existing;
  }

  setServed(path: string, served: boolean): void {
    if (served) {
      this.#unserved.delete(path);
      return;
    }
    this.#unserved.add(path);
    for (const watch of [...this.watches]) {
      watch.end();
    }
  }

  fault(matches: (request: SeenRequest) => boolean, fault: Fault, times = 1): void {
    this.#rules.push({ matches, fault, remaining: times });
  }

  kubeConfig(user: Record<string, unknown> = { token: 'secret-token' }): KubeConfig {
    return kubeConfigFor(this.#url, user);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #track(socket: Socket): void {
    this.#connections += 1;
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming, this.#now());
    this.requests.push(request);
    const rule = this.#rules.find((candidate) => candidate.remaining > 0 && candidate.matches(request));
    if (rule !== undefined) {
      rule.remaining -= 1;
      if (rule.fault.kind !== 'delay') {
        misbehave(rule.fault, response, () => handleRequest(this.#state, request));
        return;
      }
      await delay(rule.fault.ms);
    }
    const answer = handleRequest(this.#state, request);
    if (answer.kind === 'watch') {
      openFakeWatch({ response, collection: answer.collection, from: answer.from, watches: this.watches });
      return;
    }
    send(response, answer);
  }
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

async function readRequest(incoming: IncomingMessage, atMs: number): Promise<SeenRequest> {
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
    atMs,
  };
}
