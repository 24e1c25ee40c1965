import { malformed, parseJson, splitLines } from './body.ts';
import type { Attempt } from './errors.ts';
import { errorFromResponse } from './status-error.ts';
import type { Call, Transport } from './transport.ts';
import { isKubeObject, isRecord, type WatchEvent } from './types.ts';

/** An object is at most about 1.5 MiB in etcd; JSON escaping and managedFields can multiply that. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

export interface WatchStreamOptions {
  readonly idleTimeoutMs: number;
  /** Called once, when the server has accepted the watch; the first event may be minutes away. */
  readonly onOpen?: (() => void) | undefined;
}

/** Ends when the server ends the watch; throws `KubeError` for everything else, also for an ERROR event (`Gone` for an expired version). */
export async function* watchEvents(
  transport: Transport,
  call: Call,
  options: WatchStreamOptions,
): AsyncGenerator<WatchEvent> {
  const chunks = await transport.stream(call, options.idleTimeoutMs);
  options.onOpen?.();
  for await (const line of splitLines(call.attempt, chunks, MAX_EVENT_BYTES)) {
    yield parseEvent(call.attempt, line);
  }
}

function parseEvent(attempt: Attempt, line: Buffer): WatchEvent {
  const event = parseJson(attempt, line);
  if (!isRecord(event)) {
    throw malformed(attempt, 'a watch line is not an event');
  }
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (!isKubeObject(object)) {
        throw malformed(attempt, `a ${type} event has no object with a name`);
      }
      return { type, object };
    case 'BOOKMARK':
      return { type, resourceVersion: bookmarkVersion(attempt, object) };
    case 'ERROR': {
      const code = isRecord(object) && typeof object.code === 'number' ? object.code : 500;
      throw errorFromResponse(attempt, { status: code, body: object });
    }
    default:
      throw malformed(attempt, 'a watch event has an unknown type');
  }
}

function bookmarkVersion(attempt: Attempt, object: unknown): string {
  const metadata = isRecord(object) ? object.metadata : undefined;
  const version = isRecord(metadata) ? metadata.resourceVersion : undefined;
  if (typeof version !== 'string' || version === '') {
    throw malformed(attempt, 'a bookmark has no resourceVersion');
  }
  return version;
}
