import type { ServerResponse } from 'node:http';
import type { Answer } from './fake-handlers.ts';

/** What goes wrong with a request. `after-commit` lets the write happen and only loses the answer. */
export type Fault =
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  /** 200 and JSON by its header, whatever the bytes are. */
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  /** Right, but late. */
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'close' }
  | { readonly kind: 'close-after-commit' }
  | { readonly kind: 'stall' }
  | { readonly kind: 'stall-after-commit' }
  /** The first bytes of the true answer; then the connection closes, or stays open without a word. */
  | { readonly kind: 'truncate'; readonly bytes: number; readonly after: 'close' | 'stall' };

export function misbehave(
  fault: Exclude<Fault, { kind: 'delay' }>,
  response: ServerResponse,
  handle: () => Answer,
): void {
  switch (fault.kind) {
    case 'respond':
      send(response, { kind: 'response', status: fault.status, body: fault.body, headers: fault.headers ?? {} });
      return;
    case 'raw':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(fault.bytes);
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
    case 'stall-after-commit':
      handle();
      return;
    case 'truncate':
      truncate(response, handle(), fault);
  }
}

export function send(response: ServerResponse, answer: Answer & { readonly kind: 'response' }): void {
  const isText = typeof answer.body === 'string';
  response.writeHead(answer.status, { 'content-type': isText ? 'text/html' : 'application/json', ...answer.headers });
  response.end(isText ? answer.body : JSON.stringify(answer.body));
}

function truncate(response: ServerResponse, answer: Answer, fault: Fault & { readonly kind: 'truncate' }): void {
  const text = Buffer.from(answer.kind === 'response' ? JSON.stringify(answer.body) : '');
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.subarray(0, fault.bytes), () => {
    if (fault.after === 'close') response.socket?.destroy();
  });
}
