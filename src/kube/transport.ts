import type { Dispatcher } from 'undici';
import { malformed, parseJson, readAtMost, readStart } from './body.ts';
import type { Clock } from './clock.ts';
import type { Connections } from './connections.ts';
import type { CredentialSource, Credentials } from './credentials.ts';
import { createDeadline, type Deadline } from './deadline.ts';
import { type Attempt, isWrite, KubeError, type Verb } from './errors.ts';
import { sendRequest } from './send.ts';
import { errorFromResponse } from './status-error.ts';
import { isRecord } from './types.ts';

export interface Call {
  readonly attempt: Attempt;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below the server's base path, encoded. */
  readonly path: string;
  readonly accept?: string | undefined;
  readonly content?: { readonly type: string; readonly body: string };
  readonly signal?: AbortSignal | undefined;
  readonly beforeSend?: (() => void) | undefined;
  /** For the whole exchange, or until the headers for a stream. */
  readonly timeoutMs: number;
  /** Of the body of a failed response, nothing but a Status goes into the error: another might be what must not be read. */
  readonly discreet?: boolean;
}

/** One finished request. Labels are from closed sets: no namespace, no name. */
export interface RequestObservation {
  readonly verb: Verb;
  /** With the subresource, as RBAC writes it: a missing right is found by it. */
  readonly resource: string;
  /** HTTP status, or the reason of an error that had none. */
  readonly code: string;
  readonly seconds: number;
}

export interface TransportOptions {
  readonly credentials: CredentialSource;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly onRequest?: ((observation: RequestObservation) => void) | undefined;
}

/** HTTP to one API server: credentials, deadlines, bounds and error mapping. Throws only `KubeError`. */
export interface Transport {
  json(call: Call, maxBytes: number): Promise<unknown>;
  /** For a body that is not to be parsed as a whole. `parse` throws `KubeError`. */
  read<T>(call: Call, maxBytes: number, parse: (body: Uint8Array) => T): Promise<T>;
  /** Resolves once a 200 with JSON has begun. The iteration throws `Timeout` when nothing arrives for `idleTimeoutMs`. */
  stream(call: Call, idleTimeoutMs: number): Promise<AsyncGenerator<Buffer>>;
}

interface Exchange {
  readonly call: Call;
  readonly deadline: Deadline;
  credentials: Credentials | undefined;
  status: number | undefined;
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;

export function createTransport(options: TransportOptions): Transport {
  const begin = (call: Call): Exchange => {
    const deadline = createDeadline(options.clock, call.signal);
    deadline.arm(call.timeoutMs);
    return { call, deadline, credentials: undefined, status: undefined };
  };
  const observed = async <T>(exchange: Exchange, work: () => Promise<T>): Promise<T> => {
    const started = options.clock.monotonicMs();
    let code = 'Unknown';
    try {
      const result = await work();
      code = String(exchange.status);
      return result;
    } catch (error) {
      const kubeError = toKubeError(exchange, error);
      code = String(kubeError.status ?? kubeError.reason);
      throw kubeError;
    } finally {
      const { verb, resource: object, subresource } = exchange.call.attempt;
      const resource = subresource === undefined ? object : `${object}/${subresource}`;
      options.onRequest?.({ verb, resource, code, seconds: (options.clock.monotonicMs() - started) / 1000 });
    }
  };
  const read: Transport['read'] = async (call, maxBytes, parse) => {
    const exchange = begin(call);
    try {
      return await observed(exchange, async () => {
        const response = await sendAndCheck(options, exchange);
        return parse(await readAtMost(call.attempt, response.body, maxBytes));
      });
    } finally {
      exchange.deadline.dispose();
    }
  };
  return {
    read,
    json: (call, maxBytes) => read(call, maxBytes, (body) => parseJson(call.attempt, body)),
    stream: async (call, idleTimeoutMs) => {
      const exchange = begin(call);
      try {
        const response = await observed(exchange, () => sendAndCheck(options, exchange));
        return readChunks(exchange, response.body, idleTimeoutMs);
      } catch (error) {
        exchange.deadline.dispose();
        throw error;
      }
    },
  };
}

/** The response once it is known to be a 2xx with JSON. A 401 is tried again once, with a token read anew: tokens rotate. */
async function sendAndCheck(options: TransportOptions, exchange: Exchange): Promise<Dispatcher.ResponseData> {
  let response = await send(options, exchange);
  if (response.statusCode === 401) {
    await response.body.dump();
    options.credentials.forget();
    response = await send(options, exchange);
  }
  const { attempt } = exchange.call;
  const contentType = headerOf(response, 'content-type') ?? '';
  if (response.statusCode < 200 || response.statusCode >= 300) {
    throw await failure(exchange, response);
  }
  // The OpenAPI index is JSON that the API server calls plain text (kube-openapi pkg/handler3): its bytes decide there.
  const isJson = contentType.startsWith('application/json');
  if (!isJson && !(attempt.resource === 'discovery' && contentType.startsWith('text/plain'))) {
    response.body.destroy();
    throw malformed(attempt, `the response is "${contentType}", not JSON; is a proxy answering for the API server?`);
  }
  return response;
}

async function send(options: TransportOptions, exchange: Exchange): Promise<Dispatcher.ResponseData> {
  const { call, deadline } = exchange;
  const credentials = await options.credentials.current(call.attempt);
  exchange.credentials = credentials;
  if (deadline.signal.aborted) {
    throw new KubeError(deadline.expired ? 'Timeout' : 'Aborted', call.attempt, 'ended before it was sent');
  }
  const request = {
    origin: options.credentials.origin,
    path: `${options.credentials.basePath}${call.path}`,
    method: call.method,
    headers: {
      ...credentials.headers,
      accept: call.accept ?? 'application/json',
      'user-agent': options.userAgent,
      ...(call.content === undefined ? {} : { 'content-type': call.content.type }),
    },
    body: call.content?.body ?? null,
    signal: deadline.signal,
  };
  const agent = options.connections.agentFor(credentials.tls);
  const response = await sendRequest(agent, request, () => checkBeforeSend(call));
  // A body that is dropped half-read emits an error that nobody else would listen to, which ends the process.
  response.body.on('error', () => undefined);
  exchange.status = response.statusCode;
  return response;
}

function checkBeforeSend({ attempt, beforeSend }: Call): void {
  try {
    beforeSend?.();
  } catch (error) {
    throw new KubeError('Aborted', attempt, error instanceof Error ? error.message : String(error));
  }
}

async function failure(exchange: Exchange, response: Dispatcher.ResponseData): Promise<KubeError> {
  const { attempt } = exchange.call;
  const text = withoutToken(exchange, (await readStart(response.body, MAX_ERROR_BODY_BYTES)).toString('utf8'));
  if (response.statusCode >= 300 && response.statusCode < 400) {
    return malformed(attempt, `the server answered with a redirect (${response.statusCode}), which is not followed`);
  }
  const retryAfter = headerOf(response, 'retry-after');
  const body = jsonOrText(text);
  const isTold = exchange.call.discreet !== true || (isRecord(body) && body.kind === 'Status');
  return errorFromResponse(attempt, { status: response.statusCode, retryAfter, body: isTold ? body : '' });
}

async function* readChunks(
  exchange: Exchange,
  body: Dispatcher.ResponseData['body'],
  idleTimeoutMs: number,
): AsyncGenerator<Buffer> {
  const { deadline } = exchange;
  try {
    const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
    for (;;) {
      // Armed only while waiting for the server, so that a slow consumer is not taken for a silent server.
      deadline.arm(idleTimeoutMs);
      const next = await iterator.next().catch((error: unknown) => {
        throw toKubeError(exchange, error);
      });
      deadline.disarm();
      if (next.done === true) {
        return;
      }
      yield next.value;
    }
  } finally {
    deadline.dispose();
    body.destroy();
  }
}

/** Codes of failures before the first byte of the request was sent: the write can not have happened. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|ERR_TLS_.*|CERT_.*|.*_CERT.*|UNABLE_TO_.*)$/;

function toKubeError(exchange: Exchange, error: unknown): KubeError {
  const { call, deadline } = exchange;
  if (error instanceof KubeError) {
    return error;
  }
  const write = isWrite(call.attempt.verb);
  if (deadline.expired) {
    return new KubeError('Timeout', call.attempt, 'no answer in time', { outcomeUnknown: write });
  }
  if (deadline.signal.aborted) {
    return new KubeError('Aborted', call.attempt, 'the call was cancelled', { outcomeUnknown: write });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = error instanceof Error ? error.message : 'unknown error';
  const message = withoutToken(exchange, code === '' ? text : `${code} ${text}`.trim());
  return new KubeError('Transport', call.attempt, message, { outcomeUnknown: write && !NEVER_SENT.test(code) });
}

/** Servers and proxies may echo a request; what was sent as a credential must not come back as text. */
function withoutToken(exchange: Exchange, text: string): string {
  const secret = exchange.credentials?.headers.authorization?.split(' ').at(-1) ?? '';
  return secret === '' ? text : text.replaceAll(secret, '[redacted]');
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
