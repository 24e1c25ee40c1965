/**
 * The members of a JSON object as places in its bytes: what a caller does not ask for is stepped over, and is never a string of this
 * process. Checks structure only as far as it needs to find the places; whoever parses one learns whether it is JSON.
 */

export interface Member {
  /** Without its quotes, as it is written: an escape in it is not resolved. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const AFTER_SCALAR: ReadonlySet<number | undefined> = new Set([COMMA, CLOSE, CLOSE_LIST, undefined, ...SPACES]);

/** Undefined when the bytes are not one whole JSON object. */
export function jsonMembers(bytes: Uint8Array): readonly Member[] | undefined {
  const members: Member[] = [];
  let at = skipSpaces(bytes, 0);
  if (bytes[at] !== OPEN) return undefined;
  at = skipSpaces(bytes, at + 1);
  if (bytes[at] === CLOSE) return isEnd(bytes, at) ? members : undefined;
  for (;;) {
    const keyEnd = bytes[at] === QUOTE ? endOfString(bytes, at) : undefined;
    if (keyEnd === undefined) return undefined;
    const colon = skipSpaces(bytes, keyEnd);
    if (bytes[colon] !== COLON) return undefined;
    const start = skipSpaces(bytes, colon + 1);
    const end = endOfValue(bytes, start);
    if (end === undefined) return undefined;
    members.push({ key: bytes.subarray(at + 1, keyEnd - 1), value: bytes.subarray(start, end) });
    const next = skipSpaces(bytes, end);
    if (bytes[next] === CLOSE) return isEnd(bytes, next) ? members : undefined;
    if (bytes[next] !== COMMA) return undefined;
    at = skipSpaces(bytes, next + 1);
  }
}

/** Whether the key is the name, in plain ASCII. */
export function isNamed({ key }: Member, name: string): boolean {
  return Buffer.from(name, 'ascii').equals(key);
}

function isEnd(bytes: Uint8Array, closing: number): boolean {
  return skipSpaces(bytes, closing + 1) === bytes.length;
}

function skipSpaces(bytes: Uint8Array, from: number): number {
  let at = from;
  while (SPACES.has(bytes[at])) at += 1;
  return at;
}

/** Behind the closing quote. */
function endOfString(bytes: Uint8Array, opening: number): number | undefined {
  for (let at = opening + 1; at < bytes.length; at += 1) {
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] === BACKSLASH) at += 1;
  }
  return undefined;
}

/** Iterative: the depth is whoever answers' to choose. */
function endOfValue(bytes: Uint8Array, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    const isOpening = byte === OPEN || byte === OPEN_LIST;
    const isClosing = byte === CLOSE || byte === CLOSE_LIST;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (isOpening || isClosing || depth > 0) {
      depth += isOpening ? 1 : isClosing ? -1 : 0;
      at += 1;
    } else {
      return endOfScalar(bytes, at);
    }
    if (depth === 0) return at;
    if (depth < 0) return undefined;
  }
  return undefined;
}

function endOfScalar(bytes: Uint8Array, start: number): number | undefined {
  let at = start;
  while (!AFTER_SCALAR.has(bytes[at])) at += 1;
  return at > start ? at : undefined;
}
