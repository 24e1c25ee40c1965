import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '../kube/logger.ts';

export interface HttpAnswer {
  readonly status: 200 | 500 | 503;
  readonly contentType: string;
  readonly body: string;
}

/** Answers one path. What it returns is readable without authentication: no names of objects, no error text from elsewhere. */
export type HttpRoute = () => HttpAnswer | Promise<HttpAnswer>;

export interface HttpServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string | undefined;
  readonly routes: Readonly<Record<string, HttpRoute>>;
  readonly logger: Logger;
}

export interface HttpServer {
  readonly port: number;
  /** Answers what is under way, then closes. */
  close(): Promise<void>;
}

/** Kubelet and Prometheus need a handful of connections; anybody else may not hold more. */
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 5000;
const MAX_HEADER_BYTES = 8 * 1024;

/** A small server for probes and metrics: exact paths, GET and HEAD only, bounded in every direction. Rejects when the port is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const routes = new Map(Object.entries(options.routes));
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => void respond(routes, options.logger, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options.port, options.host);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

export type Check = () => boolean;

/** 200 when every check holds, else 503 with the names of those that do not. */
export function checksRoute(checks: Readonly<Record<string, Check>>): HttpRoute {
  return () => {
    const failing = Object.entries(checks)
      .filter(([, check]) => !check())
      .map(([name]) => name);
    return failing.length === 0
      ? { status: 200, contentType: 'text/plain', body: 'ok\n' }
      : { status: 503, contentType: 'text/plain', body: `not ready: ${failing.join(', ')}\n` };
  };
}

export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** A prom-client registry as a route. */
export function metricsRoute(source: MetricsSource): HttpRoute {
  return async () => ({ status: 200, contentType: source.contentType, body: await source.metrics() });
}

async function respond(
  routes: ReadonlyMap<string, HttpRoute>,
  logger: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?');
  const route = routes.get(path);
  if (route === undefined) {
    end(response, 404, 'text/plain', 'not found\n');
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    end(response, 405, 'text/plain', 'method not allowed\n');
    return;
  }
  try {
    const { status, contentType, body } = await route();
    end(response, status, contentType, body);
  } catch (error) {
    logger.error({ path, err: error }, 'a probe or metrics route failed');
    end(response, 500, 'text/plain', 'internal error\n');
  }
}

function end(response: ServerResponse, status: number, contentType: string, body: string): void {
  // Probes carry no body; one that is sent all the same is not waited for.
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', connection: 'close' });
  response.end(body);
}

function listen(server: Server, port: number, host: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
