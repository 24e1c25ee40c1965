import { type Attempt, isWrite, KubeError } from './errors.ts';

/** Reads to the end, or throws `TooLarge` as soon as more than `maxBytes` arrived, which also closes the connection. */
export async function readAtMost(attempt: Attempt, body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new KubeError('TooLarge', attempt, `the response is larger than ${maxBytes} bytes`, {
        outcomeUnknown: isWrite(attempt.verb),
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Reads the start of a failed response; what follows is of no use to anybody and may be endless. */
export async function readStart(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) {
      break;
    }
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Strict UTF-8 and JSON; anything else is `Malformed`. For a write the object may exist all the same. */
export function parseJson(attempt: Attempt, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw malformed(attempt, 'the response is not JSON in UTF-8; is a proxy answering for the API server?');
  }
}

export function malformed(attempt: Attempt, message: string): KubeError {
  return new KubeError('Malformed', attempt, message, { outcomeUnknown: isWrite(attempt.verb) });
}

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines. Works on bytes, because a chunk may end within a character while a newline byte is never part of one.
 * An unfinished last line is a cut connection, not data, and is dropped; a watch resumes from the last whole event.
 */
export async function* splitLines(
  attempt: Attempt,
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number,
): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) {
        yield line;
      }
    }
    if (start < chunk.length) {
      pending.push(chunk.subarray(start));
      pendingBytes += chunk.length - start;
    }
    if (pendingBytes > maxLineBytes) {
      throw new KubeError('TooLarge', attempt, `a watch event is larger than ${maxLineBytes} bytes`);
    }
  }
}
