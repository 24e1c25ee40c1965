import type { IncomingHttpHeaders } from 'node:http';
import { isKubeObject, isRecord, type KubeObject } from '../types.ts';
import { type FakeCollection, mergePatch } from './fake-collection.ts';
import { statusBody } from './fake-status.ts';

export interface SeenRequest {
  readonly method: string;
  /** As sent: encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly isWatch: boolean;
  /** When it arrived. */
  readonly atMs: number;
}

export type Answer =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly body: unknown;
      readonly headers: Record<string, string>;
    }
  | { readonly kind: 'watch'; readonly collection: FakeCollection; readonly from: number };

export interface FakeState {
  collection(path: string): FakeCollection;
  isServed(path: string): boolean;
  version(): string;
}

const PLURAL = /^((?:\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/[a-z]+)(?:\/([^/]+))?(?:\/(status))?$/;

export function handleRequest(state: FakeState, request: SeenRequest): Answer {
  const [, collectionPath, encodedName] = PLURAL.exec(request.path) ?? [];
  if (collectionPath === undefined || !state.isServed(collectionPath)) {
    return respond(404, '404 page not found\n');
  }
  const collection = state.collection(collectionPath);
  if (encodedName === undefined) {
    return handleCollection(state, collection, request);
  }
  const name = decodeURIComponent(encodedName);
  switch (request.method) {
    case 'GET':
      return found(collection, name, (object) => respond(200, shownAs(request, object)));
    case 'PATCH':
      return handlePatch(collection, name, request);
    case 'DELETE':
      return found(collection, name, (object) => handleDelete(collection, object, request));
    default:
      return respond(405, statusBody(405, 'MethodNotAllowed', 'method not allowed'));
  }
}

function shownAs({ headers }: SeenRequest, { metadata, ...object }: KubeObject): unknown {
  const asked = headers.accept?.includes('as=PartialObjectMetadata') === true;
  return asked ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } : { ...object, metadata };
}

function handleCollection(state: FakeState, collection: FakeCollection, request: SeenRequest): Answer {
  if (request.method === 'POST') {
    return handleCreate(collection, request.body);
  }
  if (request.isWatch) {
    return { kind: 'watch', collection, from: Number(request.query.get('resourceVersion')) };
  }
  return handleList(state, collection, request.query);
}

/** The continue token is simply the offset. */
function handleList(state: FakeState, collection: FakeCollection, query: URLSearchParams): Answer {
  const offset = Number(query.get('continue') ?? 0);
  const limit = Number(query.get('limit') ?? 500);
  const all = [...collection.objects.values()];
  const end = offset + limit;
  const metadata = { resourceVersion: state.version(), ...(end < all.length ? { continue: String(end) } : {}) };
  return respond(200, { kind: 'List', apiVersion: 'v1', metadata, items: all.slice(offset, end) });
}

function handleCreate(collection: FakeCollection, body: unknown): Answer {
  if (!isKubeObject(body)) {
    return respond(400, statusBody(400, 'BadRequest', 'not an object'));
  }
  const { name } = body.metadata;
  return collection.objects.has(name)
    ? respond(409, statusBody(409, 'AlreadyExists', `"${name}" already exists`))
    : respond(201, collection.put(body));
}

function handlePatch(collection: FakeCollection, name: string, request: SeenRequest): Answer {
  const isApply = request.headers['content-type'] === 'application/apply-patch+yaml';
  const existing = collection.objects.get(name);
  if (existing === undefined && !isApply) {
    return notFound(name);
  }
  const wanted = isRecord(request.body) && isRecord(request.body.metadata) ? request.body.metadata : {};
  const current = existing?.metadata;
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== current?.resourceVersion) {
    return respond(409, statusBody(409, 'Conflict', `"${name}": the object has been modified`));
  }
  if (wanted.uid !== undefined && wanted.uid !== current?.uid) {
    const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message: 'field is immutable' }];
    return respond(422, statusBody(422, 'Invalid', `"${name}" is invalid`, { causes }));
  }
  return respond(200, collection.put(mergePatch(existing, request.body) as KubeObject));
}

function handleDelete(collection: FakeCollection, object: KubeObject, request: SeenRequest): Answer {
  const options = isRecord(request.body) && isRecord(request.body.preconditions) ? request.body.preconditions : {};
  if (options.uid !== undefined && options.uid !== object.metadata.uid) {
    return respond(
      409,
      statusBody(409, 'Conflict', 'Precondition failed: UID in precondition: x, UID in object meta: y'),
    );
  }
  if ((object.metadata.finalizers ?? []).length > 0) {
    const metadata = { ...object.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
    return respond(200, collection.put({ ...object, metadata }));
  }
  collection.remove(object.metadata.name);
  return respond(200, { kind: 'Status', apiVersion: 'v1', status: 'Success' });
}

function found(collection: FakeCollection, name: string, then: (object: KubeObject) => Answer): Answer {
  const object = collection.objects.get(name);
  return object === undefined ? notFound(name) : then(object);
}

function notFound(name: string): Answer {
  return respond(404, statusBody(404, 'NotFound', `"${name}" not found`));
}

function respond(status: number, body: unknown): Answer & { readonly kind: 'response' } {
  return { kind: 'response', status, body, headers: {} };
}
