import type { Client, WriteOptions } from './client.ts';
import { type CallContext, MAX_OBJECT_BYTES, requireObject } from './client-reads.ts';
import type { Attempt } from './errors.ts';
import { assertKind, attemptOf, queryString, refOf, resourcePath } from './paths.ts';
import type { Call } from './transport.ts';
import { isRecord, type KubeObject } from './types.ts';

type WriteMethods = Pick<Client, 'create' | 'apply' | 'mergePatch' | 'delete'>;

export function writeMethods(context: CallContext): WriteMethods {
  return {
    create: async (resource, object, options) => {
      const ref = refOf(object);
      const attempt = attemptOf('create', resource, { ...ref, subresource: options.subresource });
      assertKind(attempt, resource, object);
      const path = resourcePath(attempt, resource, { namespace: ref.namespace });
      return write(context, attempt, { method: 'POST', path, type: 'application/json', body: object, options });
    },
    apply: async (resource, object, options) => {
      const target = { ...refOf(object), subresource: options.subresource };
      const attempt = attemptOf('patch', resource, target);
      assertKind(attempt, resource, object);
      const path = resourcePath(attempt, resource, target);
      // JSON is YAML: the type only selects server-side apply.
      const type = 'application/apply-patch+yaml';
      return write(context, attempt, { method: 'PATCH', path, type, body: object, options, force: options.force });
    },
    mergePatch: async (resource, ref, patch, options) => {
      const target = { ...ref, subresource: options.subresource };
      const attempt = attemptOf('patch', resource, target);
      const path = resourcePath(attempt, resource, target);
      const type = 'application/merge-patch+json';
      return write(context, attempt, { method: 'PATCH', path, type, body: patch, options });
    },
    delete: async (resource, ref, preconditions, options = {}) => {
      const attempt = attemptOf('delete', resource, ref);
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions, propagationPolicy: 'Background' };
      const answer = await context.transport.json(
        {
          attempt,
          method: 'DELETE',
          path: resourcePath(attempt, resource, ref),
          content: { type: 'application/json', body: JSON.stringify(body) },
          signal: options.signal,
          beforeSend: options.beforeSend,
          timeoutMs: options.timeoutMs ?? context.requestTimeoutMs,
        },
        MAX_OBJECT_BYTES,
      );
      // A Status says that it is gone; the object itself says that finalizers or a grace period hold it.
      return { removed: isRecord(answer) && answer.kind === 'Status' };
    },
  };
}

interface WriteCall {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly type: string;
  readonly body: unknown;
  readonly options: WriteOptions;
  readonly force?: boolean;
}

async function write(context: CallContext, attempt: Attempt, target: WriteCall): Promise<KubeObject> {
  const { options } = target;
  const query = queryString({
    fieldManager: options.fieldManager,
    // Without it a misspelt or unknown field is dropped silently, and a policy would be wider than it reads.
    fieldValidation: 'Strict',
    force: target.force === undefined ? undefined : String(target.force),
  });
  const call: Call = {
    attempt,
    method: target.method,
    path: `${target.path}${query}`,
    content: { type: target.type, body: JSON.stringify(target.body) },
    signal: options.signal,
    beforeSend: options.beforeSend,
    timeoutMs: options.timeoutMs ?? context.requestTimeoutMs,
  };
  return requireObject(attempt, await context.transport.json(call, MAX_OBJECT_BYTES));
}
