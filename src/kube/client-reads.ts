import { malformed } from './body.ts';
import type { CallOptions, Client, GetJsonOptions, ListOptions, SelectOptions, WatchOptions } from './client.ts';
import { type Attempt, isKubeError, KubeError } from './errors.ts';
import { type Page, parsePage, readAllPages } from './list.ts';
import { METADATA_ACCEPT, parseMetadata } from './metadata.ts';
import { attemptOf, queryString, resourcePath } from './paths.ts';
import type { Call, Transport } from './transport.ts';
import { isKubeObject, type KubeObject, type Resource, type WatchEvent } from './types.ts';
import { watchEvents } from './watch.ts';

export interface CallContext {
  readonly transport: Transport;
  readonly requestTimeoutMs: number;
}

export const MAX_OBJECT_BYTES = 4 * 1024 * 1024;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
/** OpenAPI documents of a large group are a few MiB. */
const MAX_DISCOVERY_BYTES = 16 * 1024 * 1024;
const PAGE_SIZE = 500;

export function readMethods(context: CallContext): Pick<Client, 'get' | 'getMetadata' | 'list' | 'watch' | 'getJson'> {
  return {
    get: async (resource, ref, options = {}) => {
      const attempt = attemptOf('get', resource, ref);
      const call = getCall(context, attempt, { path: resourcePath(attempt, resource, ref), options });
      return requireObject(attempt, await context.transport.json(call, MAX_OBJECT_BYTES));
    },
    getMetadata: async (resource, ref, options = {}) => {
      const attempt = attemptOf('get', resource, ref);
      const target = { path: resourcePath(attempt, resource, ref), options: { ...options, accept: METADATA_ACCEPT } };
      const call: Call = { ...getCall(context, attempt, target), discreet: true };
      return context.transport.read(call, MAX_OBJECT_BYTES, (bytes) => parseMetadata(attempt, bytes));
    },
    list: (resource, options) =>
      readAllPages((token) => readPage(context, resource, options, token), options.transform ?? ((object) => object)),
    watch: (resource, options) => watch(context, resource, options),
    getJson: async (path, options = {}) => {
      const attempt: Attempt = { verb: 'get', resource: 'discovery' };
      assertDiscoveryPath(attempt, path);
      return context.transport.json(getCall(context, attempt, { path, options }), MAX_DISCOVERY_BYTES);
    },
  };
}

export function requireObject(attempt: Attempt, body: unknown): KubeObject {
  if (!isKubeObject(body)) {
    throw malformed(attempt, 'the response is not an object with apiVersion, kind and a name');
  }
  return body;
}

async function readPage(
  context: CallContext,
  resource: Resource,
  options: ListOptions,
  continueToken: string | undefined,
): Promise<Page> {
  const target = { namespace: options.namespace };
  const attempt = attemptOf('list', resource, target);
  for (let limit = options.limit ?? PAGE_SIZE; ; limit = Math.floor(limit / 2)) {
    const query = queryString({ ...selectors(options), limit: String(limit), continue: continueToken });
    const path = `${resourcePath(attempt, resource, target)}${query}`;
    try {
      const body = await context.transport.json(getCall(context, attempt, { path, options }), MAX_LIST_BYTES);
      return parsePage(attempt, resource, body);
    } catch (error) {
      // Objects that are large together are listed a few at a time, or whoever may create them could blind us.
      if (!isKubeError(error, 'TooLarge') || limit <= 1) throw error;
    }
  }
}

/** A generator, so that a path that can not be built also throws where the events are read. */
async function* watch(context: CallContext, resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent> {
  const target = { namespace: options.namespace };
  const attempt = attemptOf('watch', resource, target);
  const query = queryString({
    ...selectors(options),
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    timeoutSeconds: String(options.timeoutSeconds),
  });
  const path = `${resourcePath(attempt, resource, target)}${query}`;
  yield* watchEvents(context.transport, getCall(context, attempt, { path, options }), options);
}

function selectors(options: SelectOptions): Record<string, string | undefined> {
  return { labelSelector: options.labelSelector, fieldSelector: options.fieldSelector };
}

interface GetTarget {
  readonly path: string;
  readonly options: CallOptions & Pick<GetJsonOptions, 'accept'>;
}

function getCall(context: CallContext, attempt: Attempt, target: GetTarget): Call {
  return {
    attempt,
    method: 'GET',
    path: target.path,
    accept: target.options.accept,
    signal: target.options.signal,
    beforeSend: target.options.beforeSend,
    timeoutMs: target.options.timeoutMs ?? context.requestTimeoutMs,
  };
}

/** Paths come from the server's own documents too, and must not name another host or leave the API. */
function assertDiscoveryPath(attempt: Attempt, path: string): void {
  const [pathname = ''] = path.split('?');
  if (!/^\/[A-Za-z0-9]/.test(path) || !/^[!-~]+$/.test(path) || /(^|\/)\.{1,2}(\/|$)/.test(pathname)) {
    throw new KubeError('Invalid', attempt, `"${path}" is not an absolute, percent-encoded path`);
  }
}
