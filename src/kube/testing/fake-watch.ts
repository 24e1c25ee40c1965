import type { ServerResponse } from 'node:http';
import type { FakeCollection, StoredEvent } from './fake-collection.ts';
import { statusBody } from './fake-status.ts';

/** An open watch, in the test's hand. */
export interface WatchStream {
  readonly from: number;
  /** Raw bytes, for lines that are cut, broken or doubled. */
  write(bytes: string | Uint8Array): void;
  send(event: { readonly type: string; readonly object: unknown }): void;
  /** Ends as the server does after timeoutSeconds. */
  end(): void;
  /** Resets the connection. */
  destroy(): void;
  /** Stays open and says nothing more. */
  mute(): void;
}

export interface FakeWatchOptions {
  readonly response: ServerResponse;
  readonly collection: FakeCollection;
  readonly from: number;
  readonly watches: Set<WatchStream>;
}

export function openFakeWatch(options: FakeWatchOptions): void {
  const { response, collection, from, watches } = options;
  let muted = false;
  const send = (event: { readonly type: string; readonly object: unknown }) => {
    if (!muted && !response.writableEnded) {
      response.write(`${JSON.stringify(event)}\n`);
    }
  };
  const stream: WatchStream = {
    from,
    write: (bytes) => response.write(bytes),
    send,
    end: () => response.end(),
    destroy: () => response.socket?.destroy(),
    mute: () => {
      muted = true;
    },
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (from < collection.compactedBefore) {
    send({ type: 'ERROR', object: statusBody(410, 'Expired', 'too old resource version') });
    response.end();
    return;
  }
  const newer = (event: StoredEvent) => Number(event.object.metadata.resourceVersion) > from;
  for (const event of collection.history.filter(newer)) {
    send(event);
  }
  const unsubscribe = collection.subscribe(send);
  watches.add(stream);
  response.on('close', () => {
    unsubscribe();
    watches.delete(stream);
  });
}
