/**
 * Stands between a command and the API server, and lets a test stop the world at a write: before it is sent, after it is committed but
 * unanswered, after the answer. Cut points are found by the request itself and not by time: a window of a millisecond is hit every time.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import type { EmbeddedControlPlane } from '../../scripts/clusters/embedded/control-plane.ts';
import { layoutOf } from '../../scripts/clusters/embedded/layout.ts';
import { waitFor, waitUntil } from '../../scripts/lib/wait-for.ts';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** What kind of answer is asked for. */
  readonly accept: string;
}

export type Match = (request: ProxiedRequest) => boolean;

/** `committed`: the server has answered, the command has not heard it. `after`: it has, and the write that is next does not get through. */
export type CutPoint = 'before' | 'committed' | 'after';

export interface CutMatch {
  readonly matches: Match;
  /** The write that follows on a matching one, where there is one. */
  readonly next?: Match;
}

export interface Cut {
  /** Until so many matching requests have come to the cut point. */
  reached(count: number): Promise<void>;
  /** New requests pass; what was held is dropped, or passed on when it is `before`. */
  end(held: 'drop' | 'pass'): void;
}

export interface FaultProxy {
  readonly url: string;
  /** From now on, until it is ended. */
  cut(point: CutPoint, match: CutMatch): Cut;
  /** Matching requests are not passed on, and get this answer, until the returned function is called. */
  answer(matches: Match, status: number, body: object): () => void;
  /** Matching watches stay open, and tell nothing more, until the returned function is called. */
  mute(matches: Match): () => void;
  /** Until a matching watch is open. */
  watched(matches: Match): Promise<void>;
  /** Ends every connection of the command. */
  disconnect(): void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** In place of the command's own, so that the audit log can tell replicas apart. */
  readonly userAgent?: string;
}

export async function startFaultProxy(
  controlPlane: EmbeddedControlPlane,
  options: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const ca = await readFile(path.join(layoutOf(controlPlane.folder).pki, 'ca.crt'));
  const proxy = new LoopbackProxy(controlPlane.url, new Agent({ ca, keepAlive: true }), options);
  await proxy.listen();
  return proxy;
}

export const isWatch: Match = ({ query }) => query.get('watch') === 'true';

interface Exchange {
  readonly request: ProxiedRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

interface ActiveCut extends CutMatch {
  readonly point: CutPoint;
  readonly held: Exchange[];
  reached: number;
}

class LoopbackProxy implements FaultProxy {
  readonly #target: string;
  readonly #agent: Agent;
  readonly #options: FaultProxyOptions;
  readonly #sockets = new Set<Socket>();
  readonly #answers = new Set<{ readonly matches: Match; readonly status: number; readonly body: object }>();
  readonly #muted = new Set<Match>();
  readonly #cuts = new Set<ActiveCut>();
  readonly #watches = new Set<ProxiedRequest>();
  readonly #server = createServer((incoming, response) => this.#serve(incoming, response));

  constructor(target: string, agent: Agent, options: FaultProxyOptions) {
    this.#target = target;
    this.#agent = agent;
    this.#options = options;
    // As kube-apiserver: idle connections stay.
    this.#server.keepAliveTimeout = 90_000;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  cut(point: CutPoint, match: CutMatch): Cut {
    const cut: ActiveCut = { ...match, point, held: [], reached: 0 };
    this.#cuts.add(cut);
    return {
      reached: (count) =>
        waitFor(`${count} writes at the cut point`, { timeoutMs: 20_000, intervalMs: 5 }, async () => {
          return cut.reached >= count ? { done: true, value: undefined } : { done: false, saw: `${cut.reached} are` };
        }),
      end: (held) => {
        this.#cuts.delete(cut);
        if (held === 'pass') for (const exchange of cut.held) this.#forward(exchange, undefined);
      },
    };
  }

  answer(matches: Match, status: number, body: object): () => void {
    return addTo(this.#answers, { matches, status, body });
  }

  mute(matches: Match): () => void {
    return addTo(this.#muted, matches);
  }

  watched(matches: Match): Promise<void> {
    return waitUntil('a watch to be open', { timeoutMs: 20_000, intervalMs: 20 }, async () => {
      return [...this.#watches].some(matches);
    });
  }

  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.disconnect();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(incoming: IncomingMessage, response: ServerResponse): void {
    const url = new URL(incoming.url ?? '/', this.#target);
    const { accept = '' } = incoming.headers;
    const request = { method: incoming.method ?? '', path: url.pathname, query: url.searchParams, accept };
    const answer = [...this.#answers].find(({ matches }) => matches(request));
    if (answer !== undefined) {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
      return;
    }
    const cut = [...this.#cuts].find(({ matches }) => matches(request));
    // What follows on the answer must not happen any more.
    if ([...this.#cuts].some(({ point, next }) => point === 'after' && next?.(request) === true)) return;
    if (cut?.point === 'before') {
      cut.held.push({ request, incoming, response });
      cut.reached += 1;
      return;
    }
    this.#forward({ request, incoming, response }, cut);
  }

  #forward(exchange: Exchange, cut: ActiveCut | undefined): void {
    const { request, incoming, response } = exchange;
    const { host: _, ...headers } = incoming.headers;
    const { userAgent } = this.#options;
    const outgoing = httpsRequest(new URL(incoming.url ?? '/', this.#target), {
      method: request.method,
      agent: this.#agent,
      headers: { ...headers, ...(userAgent === undefined ? {} : { 'user-agent': userAgent }) },
    });
    outgoing.on('error', () => response.destroy());
    outgoing.once('response', (answer) => this.#reply(answer, exchange, cut));
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  #reply(answer: IncomingMessage, { request, response }: Exchange, cut: ActiveCut | undefined): void {
    const count = () => {
      if (cut !== undefined) cut.reached += 1;
    };
    answer.on('error', () => response.destroy());
    if (cut?.point === 'committed') {
      answer.resume().once('end', count);
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    if (isWatch(request) && answer.statusCode === 200) {
      this.#watches.add(request);
      response.once('close', () => this.#watches.delete(request));
    }
    answer.on('data', (chunk: Buffer) => {
      if (![...this.#muted].some((matches) => matches(request))) response.write(chunk);
    });
    answer.once('end', () => response.end(count));
  }
}

function addTo<T>(set: Set<T>, item: T): () => void {
  set.add(item);
  return () => set.delete(item);
}
