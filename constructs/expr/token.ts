import type { Node } from './ast.ts';
import { isJsonMap, type Json } from './json.ts';

/**
 * What stands in a manifest for something that only a back-end can write. A token travels through cdk8s as an ordinary
 * string, so that it survives every place a string survives, `metadata.name` and the middle of another string included.
 */
export type Token =
  | { readonly kind: 'expr'; readonly node: Node }
  /** As the key of a map: the entries of another map are merged in. The value beside it is ignored. */
  | { readonly kind: 'spread'; readonly map: Node }
  /** As an element of a list: one element per item of `list`. */
  | { readonly kind: 'each'; readonly variable: `$${string}`; readonly list: Node; readonly body: Json }
  /** As an element of a list or the value of a map: the element, or the key with its value, exists under a condition. */
  | { readonly kind: 'onlyIf'; readonly condition: Node; readonly body: Json };

const open = '⟦';
const close = '⟧';
const pattern = /⟦([A-Za-z0-9_-]*)⟧/g;

export function encodeToken(token: Token): string {
  return `${open}${Buffer.from(JSON.stringify(token), 'utf8').toString('base64url')}${close}`;
}

/** The token that a string consists of, or undefined if it holds anything else. */
export function wholeToken(text: string): Token | undefined {
  const parts = splitTokens(text);
  const [only] = parts;
  return parts.length === 1 && typeof only === 'object' ? only : undefined;
}

/** The map of values that the entries of a map literal are, or undefined where the literal holds anything else. */
export function spreadAlone(value: Json): Node | undefined {
  const [key, second] = isJsonMap(value) ? Object.keys(value) : [];
  const token = key === undefined || second !== undefined ? undefined : wholeToken(key);
  return token?.kind === 'spread' ? token.map : undefined;
}

/**
 * The literal and token parts of a string, in order, without empty literals.
 *
 * @throws Error if a delimiter is left outside a token: then a literal holds it, or something cut a token in two.
 */
export function splitTokens(text: string): readonly (string | Token)[] {
  const parts: (string | Token)[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(from, match.index), decode(match[1] ?? ''));
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  for (const part of parts) {
    if (typeof part === 'string' && (part.includes(open) || part.includes(close))) {
      throw new Error(
        `"${text}" holds ${open} or ${close} outside a token: these two characters are reserved in charts`,
      );
    }
  }
  return parts.filter((part) => part !== '');
}

function decode(payload: string): Token {
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Token;
}
