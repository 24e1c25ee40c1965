/**
 * Makes text from elsewhere (a server, an admission webhook, a tenant's object) safe to put into a log line, a condition or an Event:
 * well-formed Unicode, no control, format (bidirectional, zero-width) or line-separator characters, and at most `maxBytes` of UTF-8.
 *
 * Escaping is visible (`\u{1b}`) so that a reader sees that something was there. The cut never splits a character or an escape.
 */
export function boundedText(text: string, maxBytes: number): string {
  // A character is at least one byte, so nothing past maxBytes + 1 code units can survive; do not scan a megabyte to keep a kilobyte.
  const wellFormed = text.slice(0, maxBytes + 1).toWellFormed();
  const pieces: string[] = [];
  let bytes = 0;
  for (const character of wellFormed) {
    const piece = escapeCharacter(character);
    bytes += Buffer.byteLength(piece);
    pieces.push(piece);
    if (bytes > maxBytes) {
      return truncated(pieces, bytes, maxBytes);
    }
  }
  return pieces.join('');
}

const ELLIPSIS = '...';

function truncated(pieces: string[], bytes: number, maxBytes: number): string {
  const suffix = maxBytes >= ELLIPSIS.length ? ELLIPSIS : '';
  let remaining = bytes;
  while (pieces.length > 0 && remaining + suffix.length > maxBytes) {
    remaining -= Buffer.byteLength(pieces.pop() ?? '');
  }
  return pieces.join('') + suffix;
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function escapeCharacter(character: string): string {
  if (!UNSAFE.test(character)) {
    return character;
  }
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
